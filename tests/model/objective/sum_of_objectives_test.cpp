#include "model/objective/sum_of_objectives.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "model/objective/cosine_contrastive.hpp"
#include "model/objective/pair_classification.hpp"

namespace gausscse {
namespace {

/// Their own terms weights, one with parameters, one with a role more than the other.
TEST(SumOfObjectives, WeighsLossesAndGradients) {
  constexpr std::int64_t batch = 9, width = 6;
  const PairClassification classification(ClassifierActivation::tanh, width);
  const CosineContrastive cosine({.temperature = 0.3});
  std::vector<SumOfObjectives::Term> terms;
  terms.push_back({std::make_unique<CosineContrastive>(CosineContrastiveSettings{.temperature = 0.3}), 0.25});
  terms.push_back({std::make_unique<PairClassification>(ClassifierActivation::tanh, width), 3});
  const SumOfObjectives sum(std::move(terms));
  ASSERT_EQ(sum.roles(), 3);
  ASSERT_TRUE(sum.needs_labels());
  ASSERT_EQ(sum.parameters().size(), classification.parameters().size());

  at::manual_seed(2);
  ObjectiveInput input{at::randn({3, batch, width}, at::kDouble)};
  input.labels = {at::randint(0, 3, {batch}, at::kLong), at::zeros({batch}, at::kLong)};
  input.parameters = at::randn({count_elements(sum.parameters())}, at::kDouble);
  const AnchorRange own{2, 7};

  const at::Tensor of_cosine = at::zeros_like(input.embeddings);
  const double cosine_loss = cosine.evaluate({input.embeddings}, own, {of_cosine}).item<double>();
  ObjectiveInput pairs = input;
  pairs.embeddings = input.embeddings.narrow(0, 0, 2);
  const ObjectiveGradient of_pairs{at::zeros_like(pairs.embeddings), at::zeros_like(input.parameters)};
  const double pairs_loss = classification.evaluate(pairs, own, of_pairs).item<double>();
  at::Tensor expected = of_cosine * 0.25;
  expected.narrow(0, 0, 2).add_(of_pairs.embeddings, 3);

  const ObjectiveGradient found{at::full_like(input.embeddings, 7), at::full_like(input.parameters, 7)};
  EXPECT_NEAR(sum.evaluate(input, own, found).item<double>(), 0.25 * cosine_loss + 3 * pairs_loss, 1e-12);
  EXPECT_LE((found.embeddings - expected).abs().max().item<double>(), 1e-13);
  EXPECT_LE((found.parameters - 3 * of_pairs.parameters).abs().max().item<double>(), 1e-13);

  // The same block by block.
  const ObjectiveGradient streamed{at::zeros_like(input.embeddings), at::zeros_like(input.parameters)};
  const auto loss = sum.begin({input.embeddings.narrow(1, 2, 5), own, batch, input.labels, input.parameters});
  for (const std::int64_t first : {0, 5}) loss->see({input.embeddings.narrow(1, first, first == 0 ? 5 : 4), first});
  for (const std::int64_t first : {0, 5}) {
    const std::int64_t count = first == 0 ? 5 : 4;
    loss->differentiate({input.embeddings.narrow(1, first, count), first}, streamed.embeddings.narrow(1, first, count),
                        streamed.embeddings.narrow(1, 2, 5));
  }
  loss->finish({streamed.embeddings.narrow(1, 2, 5), streamed.parameters});
  EXPECT_NEAR(loss->loss().item<double>(), 0.25 * cosine_loss + 3 * pairs_loss, 1e-12);
  EXPECT_LE((streamed.embeddings - expected).abs().max().item<double>(), 1e-13);
  EXPECT_LE((streamed.parameters - 3 * of_pairs.parameters).abs().max().item<double>(), 1e-13);
}

/// The flat parameters hold those of one term behind those of another, in the terms' order.
TEST(SumOfObjectives, GivesEachTermItsOwnParameters) {
  constexpr std::int64_t batch = 5, width = 4;
  const PairClassification first(ClassifierActivation::tanh, width), second(ClassifierActivation::relu, width);
  std::vector<SumOfObjectives::Term> terms;
  terms.push_back({std::make_unique<PairClassification>(ClassifierActivation::tanh, width), 0.5});
  terms.push_back({std::make_unique<PairClassification>(ClassifierActivation::relu, width), 2});
  const SumOfObjectives sum(std::move(terms));
  const std::int64_t count = count_elements(first.parameters());
  ASSERT_EQ(count_elements(sum.parameters()), 2 * count);

  at::manual_seed(3);
  ObjectiveInput input{at::randn({2, batch, width}, at::kDouble)};
  input.labels = {at::randint(0, 3, {batch}, at::kLong), at::zeros({batch}, at::kLong)};
  input.parameters = at::randn({2 * count}, at::kDouble);
  const AnchorRange own{0, batch};
  const auto of_term = [&](const PairClassification& term, std::int64_t offset, at::Tensor gradient) {
    ObjectiveInput its = input;
    its.parameters = input.parameters.narrow(0, offset, count);
    return term.evaluate(its, own, {at::zeros_like(input.embeddings), gradient}).item<double>();
  };
  const at::Tensor expected = at::zeros_like(input.parameters);
  const double of_first = of_term(first, 0, expected.narrow(0, 0, count));
  const double of_second = of_term(second, count, expected.narrow(0, count, count));
  expected.narrow(0, 0, count).mul_(0.5);
  expected.narrow(0, count, count).mul_(2);

  const ObjectiveGradient found{at::zeros_like(input.embeddings), at::zeros_like(input.parameters)};
  EXPECT_NEAR(sum.evaluate(input, own, found).item<double>(), 0.5 * of_first + 2 * of_second, 1e-12);
  EXPECT_LE((found.parameters - expected).abs().max().item<double>(), 1e-13);
}

}  // namespace
}  // namespace gausscse
