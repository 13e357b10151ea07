#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/transfer/classifier_settings.hpp"
#include "evaluation/transfer/feature_rows.hpp"
#include "evaluation/transfer/numpy.hpp"

namespace gausscse {

/// Examples with their classes, 0 to classes - 1.
struct LabelledRows {
  const FeatureRows& x;
  std::span<const std::uint32_t> labels;
  std::int64_t classes;
};

/// Some of them.
struct ChosenExamples {
  const LabelledRows& of;
  std::vector<std::int32_t> rows;
};

/// Weights of a linear classifier: of each class a row as those of its features, of which the bias is the last but
/// zeros.
using ClassifierWeights = std::vector<RowPart>;

struct FittedClassifier {
  ClassifierWeights weights;          ///< weights with the most right answers
  std::vector<std::int64_t> correct;  ///< right answers on the development examples after every `epoch_size` passes

  std::int64_t most_correct() const;
};

/// Weights and biases as torch.nn.Linear draws them after torch.manual_seed(seed).
ClassifierWeights initial_weights(std::uint32_t seed, std::int64_t features, std::int64_t classes);

/// Fits a classifier for each of these weight decays as SentEval's PyTorch classifier is fitted: cross entropy, and for
/// each pass over the training examples a new order of them, of `random`. All begin with the same weights and see the
/// same batches, which are read once for all of them. After every `epoch_size` passes the right answers on the
/// development examples are counted. If there are more than ever the weights are kept. Otherwise the fit ends if that
/// happened `tenacity` times before, not counted again after an improvement. It ends beyond `max_epoch` passes, too. A
/// fit has the same bits next to any other decays: results do not depend on which are fitted together.
std::vector<FittedClassifier> fit_side_by_side(const ChosenExamples& train, const ChosenExamples& development,
                                               std::span<const double> with_decays, const ClassifierSettings& settings,
                                               NumpyRandom random);

/// Returns the class of each example: that with the largest logit, of equal ones the first.
std::vector<std::uint32_t> predictions(const ChosenExamples& examples, const ClassifierWeights& weights);

}  // namespace gausscse
