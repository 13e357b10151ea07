#pragma once

#include <nlohmann/json.hpp>

#include "experiments/compare/comparison_text.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns the metric of this task in the comparison's JSON. Throws std::logic_error where there is none.
inline nlohmann::json find(const Comparison& comparison, const std::string& task, const std::string& metric) {
  const nlohmann::json json = nlohmann::json::parse(comparison_json(comparison));
  for (const nlohmann::json& each : json["figures"])
    if (each["task"] == task && each["figure"] == metric) return each;
  throw std::logic_error("no metric " + task + "." + metric);
}

/// Returns whether the comparison has this note.
inline bool has_note(const Comparison& comparison, const std::string& text) {
  const auto& notes = comparison.table.notes;
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return says(note, text); });
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
