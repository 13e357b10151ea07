#include "model/objective/configured_objective.hpp"
#include "tests/model/objective/labelled_batch.hpp"
#include "tests/model/objective/labelled_brute_force.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t width = LabelledBatch::width;
constexpr auto tanh_between = ClassifierActivation::tanh;

/// Returns the part of the loss that the pairs and anchors in `own` contribute.
double brute_force_augmented(const LabelledBatch& batch, const ObjectiveSettings& settings, AnchorRange own) {
  const auto label_of = [&](std::int64_t i) { return batch.labels[static_cast<std::size_t>(i)]; };
  const auto group_of = [&](std::int64_t i) { return batch.groups[static_cast<std::size_t>(i)]; };
  double sum = 0;
  for (std::int64_t i = own.begin; i < own.end; ++i)
    sum += cross_entropy_of_pair(batch, tanh_between, i, i, label_of(i));
  std::int64_t pairs = batch.pairs();
  for (const auto& [anchor, positives, negatives] :
       brute_force_sets(batch.labels, batch.groups, {settings.positives, settings.negatives}, batch.input.step)) {
    pairs += static_cast<std::int64_t>(positives.size() + negatives.size()) - 1;
    if (anchor < own.begin || anchor >= own.end) continue;
    for (const std::int64_t p : positives)
      if (p != anchor) sum += cross_entropy_of_pair(batch, tanh_between, anchor, p, 0);
    for (const std::int64_t n : negatives) {
      const std::int64_t other = settings.other_premise_label == OtherPremiseLabel::neutral ? 1 : 2;
      sum +=
          cross_entropy_of_pair(batch, tanh_between, anchor, n, group_of(n) == group_of(anchor) ? label_of(n) : other);
    }
  }
  return sum / static_cast<double>(pairs);
}

constexpr auto augmented = ObjectiveKind::augmented_classification;
const std::vector<ObjectiveSettings> augmented_settings{
    {.kind = augmented, .activation = tanh_between},
    {.kind = augmented, .activation = tanh_between, .positives = 3, .negatives = 3},
    {.kind = augmented,
     .activation = tanh_between,
     .positives = 1,
     .other_premise_label = OtherPremiseLabel::contradiction}};

TEST(AugmentedClassification, HasTheLossAndTheGradientOfItsDefinition) {
  const LabelledBatch batch(classifier_parameters);
  for (const ObjectiveSettings& settings : augmented_settings) {
    const ConfiguredObjective objective(settings, width);
    for (const AnchorRange own : {batch.all(), AnchorRange{4, 9}}) {
      const ObjectiveGradient gradient = batch.empty_gradient();
      EXPECT_NEAR(objective.evaluate(batch.input, own, gradient).item<double>(),
                  brute_force_augmented(batch, settings, own), 1e-12);
      const auto loss = [&] { return brute_force_augmented(batch, settings, own); };
      expect_derivatives(batch.input.embeddings, gradient.embeddings, loss);
      expect_derivatives(batch.input.parameters, gradient.parameters, loss);
    }
  }
}

/// Anchors go through the classifier in several parts here: 20 with 100 hypotheses each.
TEST(AugmentedClassification, OfManyAnchorsHasTheLossAndTheGradientOfItsDefinition) {
  const LabelledBatch batch = LabelledBatch::of_many(100, classifier_parameters);
  ASSERT_GT(batch.anchors(), 45);
  for (const ObjectiveSettings& settings : augmented_settings) {
    const ConfiguredObjective objective(settings, width);
    const ObjectiveGradient gradient = batch.empty_gradient();
    const auto loss = [&] { return brute_force_augmented(batch, settings, batch.all()); };
    EXPECT_NEAR(objective.evaluate(batch.input, batch.all(), gradient).item<double>(), loss(), 1e-12);
    expect_derivatives_along_directions(batch.input.embeddings, gradient.embeddings, loss);
    expect_derivatives_along_directions(batch.input.parameters, gradient.parameters, loss);
  }
}

TEST(AugmentedClassification, OfABatchWithoutAnAnchorIsItsPairsAlone) {
  LabelledBatch batch(classifier_parameters);
  for (std::int64_t& label : batch.labels) label = label == 0 ? 2 : label;
  batch.set_labels();
  const ObjectiveGradient expected = batch.empty_gradient(), found = batch.empty_gradient();
  const double loss =
      ConfiguredObjective({.kind = ObjectiveKind::pair_classification, .activation = tanh_between}, width)
          .evaluate(batch.input, {0, 14}, expected)
          .item<double>();
  EXPECT_DOUBLE_EQ(
      ConfiguredObjective(augmented_settings[0], width).evaluate(batch.input, {0, 14}, found).item<double>(), loss);
  EXPECT_TRUE(found.embeddings.equal(expected.embeddings));
  EXPECT_TRUE(found.parameters.equal(expected.parameters));
}

TEST(AugmentedClassification, HasTheClassifierOfPairs) {
  const ConfiguredObjective objective({.kind = augmented}, width);
  const auto expected = ConfiguredObjective({.kind = ObjectiveKind::pair_classification}, width).parameters();
  ASSERT_EQ(objective.parameters().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(objective.parameters()[i].name, expected[i].name);
  EXPECT_TRUE(objective.needs_labels());
  EXPECT_EQ(objective.roles(), 2);
}

}  // namespace
}  // namespace gausscse
