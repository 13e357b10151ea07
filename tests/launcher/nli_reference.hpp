#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/launcher/tiny_model.hpp"

/// Metrics of an NLI set by brute force in float64, from sentences that were embedded one by one.
namespace gausscse {

struct ReferencePair {
  std::string premise, hypothesis;
  std::string label;  ///< label of SNLI: "entailment", "neutral", "contradiction" or "-"
  bool both_ways = false;
  // From here on by `score_pairs`.
  double forward = 0, backward = 0;  ///< sim(hypothesis || premise), sim(premise || hypothesis)
  double premise_log_std = 0, hypothesis_log_std = 0;
};

/// Pairs of the project's words, not labelled yet.
std::vector<ReferencePair> tiny_pairs(std::size_t count, std::uint64_t seed);

/// Embeds both sentences of each pair, one by one, and fills in similarities per dimension and deviations.
void score_pairs(const std::filesystem::path& model, std::vector<ReferencePair>& pairs);

/// Labels the half with the larger sim(hypothesis || premise) as entailments, but every seventh pair the other way
/// round, so that a metric in which roles are exchanged is another one.
void label_pairs(std::vector<ReferencePair>& pairs);

/// SNLI's jsonl.
std::string snli_lines(const std::vector<ReferencePair>& pairs);
/// SICK's full release, with rows of TRAIN and TRIAL between those of TEST.
std::string sick_lines(const std::vector<ReferencePair>& pairs);

/// Returns the `quantile` of sim(hypothesis || premise), in [0, 1].
double similarity_quantile(const std::vector<ReferencePair>& pairs, double quantile);

/// Returns the first of 0, 0.001, ..., 1 with the best accuracy.
double reference_threshold(const std::vector<ReferencePair>& pairs);
double reference_accuracy(const std::vector<ReferencePair>& pairs, double threshold);
/// Trapezoids under the precision-recall curve from (0, 1), a point at each of `thresholds`, which fall.
double reference_auprc(const std::vector<ReferencePair>& pairs, const std::vector<double>& thresholds);
/// Returns all similarities, each once, falling.
std::vector<double> distinct_similarities(const std::vector<ReferencePair>& pairs);
/// 1, 0.999, ..., 0.
std::vector<double> sweep_thresholds();

/// Returns the share of entailments, but for those that `directed` refuses, for which `tells` is true.
double reference_direction(const std::vector<ReferencePair>& pairs, bool with_both_ways,
                           bool (*tells)(const ReferencePair&));

}  // namespace gausscse
