#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/pair_similarities.hpp"
#include "results/measurement.hpp"

namespace gausscse::mteb {

/// Returns the scores of a pair classification under MTEB's names (mteb 2.26, `AbsTaskPairClassification`; the
/// thresholds as sentence-transformers names them). For each S of `similarity` (the model's own), `cosine`,
/// `manhattan`, `euclidean` and `dot`:
///
///   S_accuracy      best accuracy over thresholds between two neighbouring scores
///   S_accuracy_threshold   its threshold, half-way between the two; -1 where there is none
///   S_f1, S_f1_threshold, S_precision, S_recall   the same for F1; all 0 where there is none
///   S_ap            average precision: sum over distinct scores of the step in recall times precision
///                   (scikit-learn's average_precision_score)
///
/// Then come `max_accuracy`, `max_f1`, `max_precision`, `max_recall` and `max_ap`, the largest over all S, and
/// `main_score`, which is `max_ap`. `positive[i]` is not 0 where pair i is one that should be found; there is one at
/// least.
std::vector<Figure> pair_classification_scores(const PairSimilarities& pairs, std::span<const std::uint8_t> positive);

}  // namespace gausscse::mteb
