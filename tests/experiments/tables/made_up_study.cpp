#include "tests/experiments/tables/made_up_study.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/study/sample_study.hpp"

namespace gausscse {

namespace {

/// Returns a name of hexadecimal digits, another one for another text.
std::string hexadecimal(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    digits += "0123456789abcdef"[(c >> 4) & 0xF];
    digits += "0123456789abcdef"[c & 0xF];
  }
  return digits;
}

StudyTrial planned_trial(const Coordinates& coordinates, std::int64_t seed) {
  StudyTrial trial;
  trial.planned = {"final", coordinates, seed, "", ""};
  trial.planned.identity = hexadecimal(title_of(trial.planned));
  return trial;
}

}  // namespace

StudyTrial done_trial(const Coordinates& coordinates, std::int64_t seed, const MetricValues& metrics) {
  StudyTrial trial = planned_trial(coordinates, seed);
  trial.status = TrialStatus::done;
  Measurement snli{"snli", "nli", false, {}, {}, ""};
  for (const auto& [name, value] : metrics)
    snli.metrics.push_back({name, value, name.ends_with("pairs") ? Unit::count : Unit::fraction});
  trial.kept.tasks = {snli};
  return trial;
}

StudyTrial other_trial(const Coordinates& coordinates, std::int64_t seed, TrialStatus status) {
  StudyTrial trial = planned_trial(coordinates, seed);
  trial.status = status;
  if (status == TrialStatus::waiting) trial.planned.identity.clear();
  return trial;
}

StudyTrial trial_with_items(const std::filesystem::path& results, const Coordinates& coordinates, std::int64_t seed,
                            const std::string& right) {
  std::vector<std::uint8_t> items;
  for (const char c : right) items.push_back(c == '1');
  return trial_with_measurement(results, coordinates, seed, nli_measurement("snli", items));
}

StudyTrial trial_with_measurement(const std::filesystem::path& results, const Coordinates& coordinates,
                                  std::int64_t seed, const Measurement& measurement) {
  StudyTrial trial = planned_trial(coordinates, seed);
  const RunResult result = result_of({measurement});
  write_done_trial(results, trial.planned.identity, result, 1);
  trial.status = TrialStatus::done;
  trial.folder = study_layout::done_folder(results, trial.planned.identity);
  trial.kept = kept_state(result);
  for (Measurement& task : trial.kept.tasks) task.columns.clear();
  return trial;
}

StudyResults study_of(std::vector<StudyTrial> trials) {
  return {"results", "made-up", std::move(trials)};
}

TableSettings table_of(const std::vector<std::string>& rows, const std::string& metric) {
  TableSettings settings;
  settings.name = "nli";
  settings.rows = rows;
  settings.metrics = {{metric, "", "", ""}};
  return settings;
}

std::vector<std::vector<std::string>> texts_of(const StudyTable& table) {
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : table.cells) {
    texts.emplace_back();
    for (const TableCell& cell : row) texts.back().push_back(cell.text);
  }
  return texts;
}

bool notes_say(const StudyTable& table, const std::string& text) {
  return std::any_of(table.notes.begin(), table.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace gausscse
