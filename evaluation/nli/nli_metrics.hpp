#pragma once

#include <optional>
#include <vector>

#include "config/tasks/nli_scoring.hpp"
#include "evaluation/nli/nli_pairs.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Scores of a model, one value a pair. `premise_hypothesis` is empty for a similarity without direction, and the last
/// three for one that is not of Gaussians, whose similarity is the cosine.
struct NliScores {
  std::vector<float> hypothesis_premise;  ///< sim(hypothesis || premise)
  std::vector<float> premise_hypothesis;  ///< sim(premise || hypothesis)
  std::vector<float> log_std_premise;     ///< sum over dimensions of the log standard deviation
  std::vector<float> log_std_hypothesis;
  std::vector<float> cosine;  ///< cosine of the means
};

/// Returns whether accuracy and AUPRC count the pair.
bool counts(const NliPairs& pairs, const NliScoring& scoring, std::size_t pair);

/// Computes the metrics of an NLI task from its scores (method, section 5). Without `threshold` the set chooses its
/// own. First come the metrics of all pairs, in this order:
///
///   pairs             number of pairs behind accuracy and AUPRC
///   accuracy          of "entailment" for a similarity sim(hypothesis || premise) of at least the threshold
///   threshold         the one that was used
///   auprc             area under the precision-recall curve
///   auprc_length      the same of the cosine with the ratio of lengths (`length_baseline`): the baseline of auprc
///   directed_pairs    number of entailment pairs behind the directions
///   direction_sim     sim(hypothesis || premise) > sim(premise || hypothesis)
///   direction_var     the premise has the larger variance
///   direction_length  the premise has more characters: the length baseline; of equal lengths one half is right
///   direction_words   the premise has the larger sum of word weights (`word_weights`), ties as above: the baseline by
///                     words
///   majority          share of the larger class, entailment or not: the baseline of the accuracy
///   positives         share of entailments: AUPRC of a random order
///   accuracy_own      accuracy at the threshold that suits this set best
///
/// Directions are NaN where there is no directed pair; the first two also for a similarity without direction. Then come
/// the parts, under names with a dot:
///
///   accuracy.LABEL                         of the pairs with this gold label
///   direction_length.ties_wrong            direction_length with equal lengths counted as wrong, as papers print it
///   METRIC.STRATUM                         directed_pairs and directions of each of `length_strata`; of similar_length
///                                          also direction_length and direction_words
///   direction_var.length_correlation       Spearman's correlation, over all counted pairs, of the difference of log
///                                          standard deviations with that of lengths
///   METRIC.KEY=VALUE                       pairs, accuracy, majority, auprc, positives, directed_pairs and directions
///                                          for each value of `NliPairs::group`; one with colons is a list of values,
///                                          and the pair counts for each of them
///   METRIC.STRATUM                         directed_pairs and directions of each of `finer_length_strata` that has
///                                          pairs
std::vector<Metric> nli_metrics(const NliPairs& pairs, const NliScores& scores, const NliScoring& scoring,
                                std::optional<double> threshold);

}  // namespace gausscse
