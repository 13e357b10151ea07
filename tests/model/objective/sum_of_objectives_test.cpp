#include "model/objective/sum_of_objectives.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "model/objective/cosine_contrastive.hpp"
#include "model/objective/pair_classification.hpp"

namespace gausscse {
namespace {

/// Terms of their own weights, one with parameters, one with a role more than the other.
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
    loss->differentiate({input.embeddings.narrow(1, first, count), first}, streamed.embeddings.narrow(1, first, count));
  }
  loss->finish({streamed.embeddings.narrow(1, 2, 5), streamed.parameters});
  EXPECT_NEAR(loss->loss().item<double>(), 0.25 * cosine_loss + 3 * pairs_loss, 1e-12);
  EXPECT_LE((streamed.embeddings - expected).abs().max().item<double>(), 1e-13);
  EXPECT_LE((streamed.parameters - 3 * of_pairs.parameters).abs().max().item<double>(), 1e-13);
}

}  // namespace
}  // namespace gausscse
