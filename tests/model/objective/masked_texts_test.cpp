#include "model/objective/masked_texts.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// There are more anchors than are compared with a block at once.
TEST(MaskedTexts, AreThoseOfEachOfManyAnchors) {
  constexpr std::int64_t many = 1100;
  const ConfiguredObjective objective(
      {.temperature = 0.2, .false_negatives = FalseNegatives::mask_equal, .loss = Loss::ent});
  at::manual_seed(9);
  ObjectiveInput input{at::randn({2, many, 4}, at::kDouble)};
  input.labels.texts = at::randint(0, 300, {2, many}, at::kLong);
  const AnchorRange own{5, 1090};
  at::Tensor expected = at::zeros_like(input.embeddings), gradient = at::zeros_like(input.embeddings);
  const double loss = objective.evaluate(input, own, {expected}).item<double>();
  const at::Tensor by_anchors = gradient.narrow(1, own.begin, own.count());
  const auto blockwise = objective.begin(
      {.rows = input.embeddings.narrow(1, own.begin, own.count()), .own = own, .batch = many, .labels = input.labels});
  see_rows(*blockwise, {input.embeddings, 0});
  differentiate_rows(*blockwise, {input.embeddings, 0}, gradient, by_anchors);
  blockwise->finish({by_anchors});
  EXPECT_NEAR(blockwise->loss().item<double>(), loss, 1e-12);
  EXPECT_LE((gradient - expected).abs().max().item<double>(), 1e-12);
}

TEST(MaskedTexts, NeedTextsOfTheWholeBatch) {
  const ConfiguredObjective equal({.false_negatives = FalseNegatives::mask_equal}),
      known({.false_negatives = FalseNegatives::mask_known});
  const at::Tensor x = at::zeros({3, 14, 4}, at::kDouble);
  const ObjectiveGradient gradient{at::zeros_like(x)};
  ExampleLabels labels;
  labels.texts = at::zeros({3, 14}, at::kLong);
  EXPECT_NO_THROW(equal.evaluate({x, labels}, {0, 14}, gradient));
  EXPECT_THROW(known.evaluate({x, labels}, {0, 14}, gradient), std::logic_error);
  labels.texts = labels.texts.narrow(1, 0, 13);
  EXPECT_THROW(equal.evaluate({x, labels}, {0, 14}, gradient), std::logic_error);
}

/// Pairs 0, 2 and 5 have the premise 0. All embeddings are 0, so the loss of an anchor is the logarithm of the number
/// of its candidates.
TEST(MaskedTexts, OfLabelledPairsAreHypothesesOfOtherPremises) {
  //                                      own      also entailed by premise 0, contradicted by it, equal, other
  const std::vector<std::int64_t> labels{0, 0, 2, 1, 0, 0}, groups{0, 1, 0, 2, 3, 0}, premises{0, 1, 0, 2, 3, 0};
  // Pair 1 has the text of pair 5, which is a positive of premise 0, pair 2 that of pair 0, but its label says
  // otherwise.
  const std::vector<std::int64_t> hypotheses{10, 15, 10, 0, 14, 15};
  ExampleLabels input{at::tensor(labels, at::kLong), at::tensor(groups, at::kLong)};
  input.texts = at::tensor(premises, at::kLong).unsqueeze(0);
  input.texts = at::cat({input.texts, at::tensor(hypotheses, at::kLong).unsqueeze(0)});
  input.entailed = at::tensor({0, 10, 0, 14, 0, 15, 1, 15, 3, 14}, at::kLong).view({5, 2});
  struct Expected {
    FalseNegatives rule;
    std::vector<double> candidates;  ///< numbers of those of anchors 0, 1, 4 and 5
    std::int64_t left_out;
  };
  // Anchors 0 and 5 leave out pairs 1 (a positive's text) and 3 (the premise's); anchor 1 leaves out pair 5.
  // An example outside of the batch names text 14 as entailed by premise 0.
  for (const Expected& expected :
       {Expected{FalseNegatives::keep, {6, 6, 6, 6}, 0}, Expected{FalseNegatives::mask_equal, {4, 5, 6, 4}, 5},
        Expected{FalseNegatives::mask_known, {3, 5, 6, 3}, 7}}) {
    const ObjectiveSettings settings{
        .kind = ObjectiveKind::supervised_contrastive, .temperature = 1, .false_negatives = expected.rule};
    const ConfiguredObjective objective(settings);
    const at::Tensor x = at::zeros({2, 6, 3}, at::kDouble);
    at::Tensor gradient = at::zeros_like(x);
    EXPECT_EQ(count_left_out(settings, input), expected.left_out);
    double whole = 0, parts = 0;
    for (const double candidates : expected.candidates) whole += std::log(candidates) / 4;
    for (const AnchorRange own : {AnchorRange{0, 2}, AnchorRange{2, 6}})
      parts += objective.evaluate({x, input}, own, {gradient}).item<double>();
    EXPECT_NEAR(parts, whole, 1e-12) << name_of(expected.rule);
  }
}

}  // namespace
}  // namespace gausscse
