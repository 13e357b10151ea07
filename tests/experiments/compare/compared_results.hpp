#pragma once

#include "experiments/compare/comparison.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns the metric of this task. Throws std::logic_error where there is none.
inline const MetricComparison& find(const Comparison& comparison, const std::string& task, const std::string& metric) {
  for (const MetricComparison& each : comparison.metrics)
    if (each.task == task && each.metric == metric) return each;
  throw std::logic_error("no metric " + task + "." + metric);
}

/// Returns the numbers from `begin` to before `end`.
inline std::set<std::size_t> numbers(std::size_t begin, std::size_t end) {
  std::set<std::size_t> all;
  for (std::size_t i = begin; i < end; ++i) all.insert(i);
  return all;
}

/// Returns the comparison of two files with one result each.
inline Comparison compare_results(const RunResult& a, const RunResult& b) {
  const TemporaryFolder folder;
  write_result(folder / "a.h5", a);
  std::filesystem::create_directories(folder / "b");
  write_result(folder / "b/result.h5", b);
  return compare_groups(read_compared_group((folder / "a.h5").string()), read_compared_group((folder / "b").string()));
}

}  // namespace gausscse
