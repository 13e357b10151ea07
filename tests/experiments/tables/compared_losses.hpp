#pragma once

#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns a table that compares losses.
inline TableSettings compared(const std::vector<std::string>& rows, const std::string& metric = "snli.accuracy") {
  TableSettings settings = table_of(rows, metric);
  settings.compare = "loss";
  return settings;
}

/// Returns `count` items that are right ('1') or wrong.
inline std::string items(std::size_t count, char right) {
  return std::string(count, right);
}

/// Returns a trial of each of two losses. Both are right in 10 items; only `a` in `only_a` of them, only `b` in
/// `only_b`.
inline std::vector<StudyTrial> rivals(const TemporaryFolder& folder, std::int64_t seed, std::size_t only_a,
                                      std::size_t only_b, std::size_t count = 60) {
  const std::size_t rest = count - 10 - only_a - only_b;
  return {trial_with_items(folder.path(), {{"loss", "a"}}, seed,
                           items(10, '1') + items(only_a, '1') + items(only_b, '0') + items(rest, '0')),
          trial_with_items(folder.path(), {{"loss", "b"}}, seed,
                           items(10, '1') + items(only_a, '0') + items(only_b, '1') + items(rest, '0'))};
}

/// Returns the trials of both.
inline std::vector<StudyTrial> joined(std::vector<StudyTrial> first, const std::vector<StudyTrial>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace gausscse
