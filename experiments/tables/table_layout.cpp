#include "experiments/tables/table_layout.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

void check_labels(const TableSettings& settings, const TableReport& report, const PlannedTrial& planned) {
  for (const auto* axes : {&settings.rows, &settings.columns})
    for (const std::string& axis : *axes)
      if (!label_on(planned, axis))
        throw InputError(concat("the table ", quoted(settings.name), " has a report ", quoted(report.file),
                                " without a label on its axis ", quoted(axis), ": give it one under reports"));
}

}  // namespace

StudyResults with_reports(const TableSettings& settings, const StudyResults& results) {
  StudyResults all{results.folder, results.study, {}};
  for (const TableReport& report : settings.reports) {
    StudyTrial trial;
    const std::string name = concat(study_layout::reports, "/", report.file);
    // No trial has this identity, which is no hexadecimal number.
    trial.planned = {stage_of(settings, results), report.labels, 0, name, name};
    check_labels(settings, report, trial.planned);
    const std::filesystem::path file = results.folder / study_layout::reports / report.file;
    std::error_code ignored;
    trial.status = std::filesystem::exists(std::filesystem::symlink_status(file, ignored)) ? TrialStatus::done
                                                                                           : TrialStatus::waiting;
    bool is_checked = true;
    if (trial.status == TrialStatus::done) trial.kept = read_json_report(file, Links::refused, &is_checked);
    if (!is_checked) trial.unprotected.emplace_back(name);
    all.trials.push_back(std::move(trial));
  }
  all.trials.insert(all.trials.end(), results.trials.begin(), results.trials.end());
  return all;
}

namespace {

using Labels = TableLayout::Labels;

/// Returns the table's problem, for messages.
std::string table_named(const TableSettings& settings) {
  return settings.name.empty() ? std::string("the table") : concat("the table ", quoted(settings.name));
}

void check_axes(const TableSettings& settings, const StudyResults& results, const std::string& stage) {
  const std::vector<std::string> known = axes_of_stage(results, stage);
  const auto check = [&](const std::vector<std::string>& axes, const char* what) {
    for (const std::string& axis : axes)
      if (!is_among(known, axis))
        throw InputError(concat(table_named(settings), " has ", what, " of the axis ", quoted(axis),
                                ", which no trial of the stage ", quoted(stage), " is on", nearest_name(axis, known)));
  };
  check(settings.rows, "rows");
  check(settings.columns, "columns");
  if (settings.compare.empty()) return;
  if (!is_among(settings.rows, settings.compare) && !is_among(settings.columns, settings.compare))
    throw InputError(
        concat(table_named(settings), " compares the axis ", quoted(settings.compare),
               ", which is neither among its rows nor its columns: its cells would mix the labels to compare"));
}

/// Returns the trial's place on some axes, or nothing where it has no label on one.
std::optional<Labels> labels_on(const PlannedTrial& trial, const std::vector<std::string>& axes) {
  Labels labels;
  for (const std::string& axis : axes) {
    const std::string* label = label_on(trial, axis);
    if (!label) return std::nullopt;
    labels.push_back(*label);
  }
  return labels;
}

/// Combinations of labels on some axes, in the order of a table: by where each label first appears.
class Combinations {
 public:
  /// Numbers of a combination's labels in the order of their appearance.
  using Key = std::vector<std::size_t>;

  explicit Combinations(std::size_t axes) : labels_(axes) {}

  Key add(const Labels& combination) {
    Key key;
    for (std::size_t i = 0; i < combination.size(); ++i)
      key.push_back(labels_[i].try_emplace(combination[i], labels_[i].size()).first->second);
    sorted_.try_emplace(key, combination);
    return key;
  }

  std::vector<Labels> in_order() const {
    std::vector<Labels> all;
    for (const auto& [key, combination] : sorted_) all.push_back(combination);
    return all;
  }

  std::size_t place_of(const Key& key) const {
    return static_cast<std::size_t>(std::distance(sorted_.begin(), sorted_.find(key)));
  }

 private:
  std::vector<std::map<std::string, std::size_t>> labels_;  ///< labels of each axis, with the order of their appearance
  std::map<Key, Labels> sorted_;
};

}  // namespace

std::string stage_of(const TableSettings& settings, const StudyResults& results) {
  if (results.trials.empty()) return settings.stage;
  std::vector<std::string> stages;
  for (const StudyTrial& trial : results.trials) add_once(stages, trial.planned.stage);
  if (settings.stage.empty()) return stages.back();
  if (!is_among(stages, settings.stage))
    throw InputError(concat(table_named(settings), " is of the stage ", quoted(settings.stage), ", which the study ",
                            quoted(results.study), " does not have", nearest_name(settings.stage, stages)));
  return settings.stage;
}

std::vector<std::string> axes_of_stage(const StudyResults& results, const std::string& stage) {
  std::vector<std::string> axes;
  bool chosen_later = false;
  for (const StudyTrial& trial : results.trials) {
    if (trial.planned.stage != stage) continue;
    for (const auto& [axis, label] : trial.planned.coordinates) add_once(axes, axis);
    chosen_later = chosen_later || trial.planned.identity.empty();
  }
  // Trials that wait for the choice of an earlier stage have the axes of that stage.
  if (chosen_later)
    for (const StudyTrial& trial : results.trials)
      for (const auto& [axis, label] : trial.planned.coordinates) add_once(axes, axis);
  return axes;
}

TableLayout lay_out(const TableSettings& settings, const StudyResults& results) {
  TableLayout layout;
  layout.stage = stage_of(settings, results);
  if (!results.trials.empty()) check_axes(settings, results, layout.stage);
  struct Placed {
    const StudyTrial* trial;
    Combinations::Key row, column;
  };
  std::vector<Placed> placed;
  Combinations rows(settings.rows.size()), columns(settings.columns.size());
  for (const StudyTrial& trial : results.trials) {
    if (trial.planned.stage != layout.stage) continue;
    const auto row = labels_on(trial.planned, settings.rows), column = labels_on(trial.planned, settings.columns);
    if (!row || !column) {
      layout.without_place.push_back(&trial);
      continue;
    }
    placed.push_back({&trial, rows.add(*row), columns.add(*column)});
  }
  layout.rows = rows.in_order();
  layout.columns = columns.in_order();
  layout.trials.assign(layout.rows.size(), std::vector<std::vector<const StudyTrial*>>(layout.columns.size()));
  for (const Placed& each : placed)
    layout.trials[rows.place_of(each.row)][columns.place_of(each.column)].push_back(each.trial);
  return layout;
}

}  // namespace gausscse
