#pragma once

#include <string_view>

#include "results/run_result.hpp"

/// Names in a result file, for its writer and its reader. docs/results.md describes them.
namespace gausscse {

inline constexpr const char* result_format = "gausscse-result/3";
/// Read as well: it has no state `untrained`, and no columns of numbers in float64 or int64, of texts or of vectors.
inline constexpr const char* result_format_before = "gausscse-result/2";
inline constexpr std::string_view result_format_of_any_version = "gausscse-result/";

/// Calls `visit(name, member)` for each column, in order; `Series` is a TrainingSeries, const or not.
template <typename Series, typename Visit>
void for_each_column(Series& series, Visit visit) {
  visit("step", series.step);
  visit("loss", series.loss);
  visit("learning_rate", series.learning_rate);
  visit("gradient_norm", series.gradient_norm);
  visit("examples_per_second", series.examples_per_second);
  visit("tokens_per_second", series.tokens_per_second);
}

}  // namespace gausscse
