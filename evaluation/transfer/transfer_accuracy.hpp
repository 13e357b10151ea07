#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/transfer/transfer_layout.hpp"
#include "evaluation/transfer/classifier_settings.hpp"
#include "evaluation/transfer/feature_rows.hpp"
#include "evaluation/transfer/shared_fits.hpp"

namespace gausscse {

/// One set of examples; empty where a task has none of its kind.
struct TransferSet {
  FeatureRows x{0, 0};
  std::vector<std::uint32_t> labels;
};

struct TransferFeatures {
  TransferSet train, development, test;
};

/// Percents, rounded to two decimals as SentEval rounds them.
struct TransferAccuracy {
  double development = 0;  ///< `devacc`: of the chosen classifier, on the examples by which it was chosen
  double accuracy = 0;     ///< `acc`
  double f1 = 0;           ///< on the test set, of class 1 of two; SentEval reports it for MRPC
};

/// Throws InputError, beginning with `what`, where training examples of these labels are too few for folds that each
/// have all classes, or to hold some out. (SentEval goes on without, or fails.)
void check_enough_examples(std::span<const std::uint32_t> labels, const TransferLayout& layout,
                           const ClassifierSettings& settings, const std::string& what);

/// Fits linear classifiers to sentence vectors and counts their right answers as SentEval does (tools/validation.py),
/// with the weight decays of classifier_settings.hpp to choose from. The metrics are the same for any number of ranks
/// and threads. The examples must be enough. Collective.
TransferAccuracy transfer_accuracy(const TransferFeatures& features, const TransferLayout& layout,
                                   const ClassifierSettings& settings, SharedFits& fits);

}  // namespace gausscse
