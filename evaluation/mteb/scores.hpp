#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "inference/pair_similarities.hpp"
#include "results/measurement.hpp"

namespace gausscse::mteb {

/// Pairs of the test set of MTEB's English STS tasks (STS12 to STS16, STSBenchmark, SICK-R) by mteb 2.26's own
/// statistics; nothing for any other name. SICK-R has all of SICK, not its test set alone.
std::optional<std::size_t> pairs_of_sts_task(std::string_view name);

/// Returns the scores of an STS task under MTEB's names (mteb 2.26, `AbsTaskSTS`). They are `pearson` and `spearman` of
/// the model's own similarity, then with `cosine_`, `manhattan_` and `euclidean_` before these, distances being
/// negated. `main_score` is `cosine_spearman`. `gold` are people's scores.
std::vector<Metric> sts_scores(const PairSimilarities& pairs, std::span<const double> gold);

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
std::vector<Metric> pair_classification_scores(const PairSimilarities& pairs, std::span<const std::uint8_t> positive);

}  // namespace gausscse::mteb
