#include <string>
#include <utility>
#include <vector>

#include "model/objective/configured_objective.hpp"
#include "tests/model/objective/labelled_batch.hpp"
#include "tests/model/objective/labelled_brute_force.hpp"

namespace gausscse {
namespace {

ConfiguredObjective pair_classification(ClassifierActivation activation) {
  return ConfiguredObjective({.kind = ObjectiveKind::pair_classification, .activation = activation},
                             LabelledBatch::width);
}

TEST(PairClassification, HasTheLossAndTheGradientOfItsDefinition) {
  for (const auto& [activation, word] : names<ClassifierActivation>) {
    SCOPED_TRACE(word);
    const LabelledBatch batch(classifier_parameters);
    for (const AnchorRange own : {batch.all(), AnchorRange{2, 5}}) {
      const auto loss = [&batch, own, of = activation] {
        double sum = 0;
        for (std::int64_t i = own.begin; i < own.end; ++i)
          sum += cross_entropy_of_pair(batch, of, i, i, batch.labels[static_cast<std::size_t>(i)]);
        return sum / static_cast<double>(batch.pairs());
      };
      const ObjectiveGradient gradient = batch.empty_gradient();
      EXPECT_NEAR(pair_classification(activation).evaluate(batch.input, own, gradient).item<double>(), loss(), 1e-12);
      expect_derivatives(batch.input.embeddings, gradient.embeddings, loss);
      expect_derivatives(batch.input.parameters, gradient.parameters, loss);
    }
  }
}

TEST(PairClassification, ReportsItsParametersAsTheyLie) {
  const std::vector<ParameterSpec> specs = pair_classification(ClassifierActivation::none).parameters();
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> expected{
      {"objective.classifier.hidden.weight", {7, 15}},
      {"objective.classifier.hidden.bias", {7}},
      {"objective.classifier.output.weight", {3, 7}},
      {"objective.classifier.output.bias", {3}}};
  ASSERT_EQ(specs.size(), expected.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(specs[i].name, expected[i].first);
    EXPECT_EQ(specs[i].shape, expected[i].second);
  }
}

TEST(PairClassification, AsksForLabelsOfTheWholeBatch) {
  LabelledBatch batch(classifier_parameters);
  const ConfiguredObjective objective = pair_classification(ClassifierActivation::none);
  EXPECT_TRUE(objective.needs_labels());
  EXPECT_EQ(objective.roles(), 2);
  batch.input.labels.labels = batch.input.labels.labels.narrow(0, 0, 3);
  EXPECT_THROW(objective.evaluate(batch.input, {0, 3}, batch.empty_gradient()), std::logic_error);
}

}  // namespace
}  // namespace gausscse
