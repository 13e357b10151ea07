#pragma once

#include <string_view>
#include <type_traits>

#include "experiments/results/run_result.hpp"

/// Names in a result file, for its writer and its reader. docs/results.md describes them.
namespace gausscse {

inline constexpr const char* result_format = "gausscse-result/1";
inline constexpr std::string_view result_format_of_any_version = "gausscse-result/";

/// Calls `visit(name, member)` for each column, in order; `Record` is const or not.
template <typename Record, typename Visit>
requires std::is_same_v<std::remove_const_t<Record>, TrainingSeries>
void for_each_column(Record& series, Visit visit) {
  visit("step", series.step);
  visit("loss", series.loss);
  visit("learning_rate", series.learning_rate);
  visit("gradient_norm", series.gradient_norm);
  visit("triples_per_second", series.triples_per_second);
  visit("tokens_per_second", series.tokens_per_second);
}

template <typename Record, typename Visit>
requires std::is_same_v<std::remove_const_t<Record>, DevCurve>
void for_each_column(Record& curve, Visit visit) {
  visit("step", curve.step);
  visit("auprc", curve.auprc);
  visit("accuracy", curve.accuracy);
  visit("direction_sim", curve.direction_sim);
  visit("direction_var", curve.direction_var);
}

template <typename Record, typename Visit>
requires std::is_same_v<std::remove_const_t<Record>, NliScores>
void for_each_column(Record& scores, Visit visit) {
  visit("sim_hypothesis_premise", scores.sim_hypothesis_premise);
  visit("sim_premise_hypothesis", scores.sim_premise_hypothesis);
  visit("log_std_premise", scores.log_std_premise);
  visit("log_std_hypothesis", scores.log_std_hypothesis);
  visit("label", scores.label);
  visit("entails_both_ways", scores.entails_both_ways);
}

template <typename Metrics, typename Visit>
void for_each_metric(Metrics& metrics, Visit visit) {
  visit("pairs", metrics.pairs);
  visit("accuracy", metrics.accuracy);
  visit("threshold", metrics.threshold);
  visit("auprc", metrics.auprc);
  visit("directed_pairs", metrics.directed_pairs);
  visit("direction_sim", metrics.direction_sim);
  visit("direction_var", metrics.direction_var);
  visit("direction_length", metrics.direction_length);
}

}  // namespace gausscse
