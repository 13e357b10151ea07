#include "experiments/tables/table_notes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "base/error.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/tables/trial_items.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using Notes = std::vector<std::string>;

/// Trials that a note names one by one.
constexpr std::size_t named_trials = 5;

std::string plural(std::size_t count, const char* one, const char* several) {
  return concat(count, " ", count == 1 ? one : several);
}

std::string status_text(const StudyTrial& trial) {
  std::string text(name_of(trial.status));
  if (trial.status == TrialStatus::waiting && !trial.planned.waits_for.empty())
    text += concat(" for ", trial.planned.waits_for);
  if (trial.failure && !trial.failure->reason.empty()) text += concat(": ", trial.failure->reason);
  return text;
}

std::string list_of(const std::vector<const StudyTrial*>& trials) {
  std::string list;
  for (std::size_t i = 0; i < trials.size() && i < named_trials; ++i)
    list += concat(i == 0 ? "" : "; ", title_of(trials[i]->planned), " (", status_text(*trials[i]), ")");
  if (trials.size() > named_trials) list += concat("; and ", plural(trials.size() - named_trials, "other", "others"));
  return list;
}

std::string aggregation_note(const StudyTable& table, const TableSettings& settings) {
  std::string note;
  switch (table.aggregation) {
    case setting::Aggregation::mean:
      note = "Means over the done trials of a cell, ± their sample standard deviation.";
      break;
    case setting::Aggregation::median:
      note = "Medians over the done trials of a cell.";
      break;
    case setting::Aggregation::highest:
      note =
          "The highest of the done trials of a cell, each metric by itself: it is chosen on the set on which it is "
          "measured.";
      break;
  }
  if (settings.cut) note += " Percentages are cut after two decimals, not rounded.";
  return note;
}

using Trials = std::vector<const StudyTrial*>;

/// Returns the trials of the table's stage that are done, or those that are not.
Trials trials_of_stage(const TableFacts& facts, bool done) {
  Trials trials;
  for (const StudyTrial& trial : facts.results.trials)
    if (trial.planned.stage == facts.layout.stage && (trial.status == TrialStatus::done) == done)
      trials.push_back(&trial);
  return trials;
}

/// Adds the number of trials that training did not make better.
void add_untrained(const Trials& done, Notes& notes) {
  const auto untrained =
      std::count_if(done.begin(), done.end(), [](const StudyTrial* trial) { return kept_untrained_state(*trial); });
  if (untrained > 0)
    notes.push_back(concat(untrained, " of ", plural(done.size(), "done trial", "done trials"),
                           " kept the untrained state: none of their steps gave a better one."));
}

/// Adds the state of the weights from which each trial's metrics come, and its number of steps.
void add_states(const Trials& done, Notes& notes) {
  struct Kept {
    std::size_t trials = 0;
    std::int64_t fewest = 0, most = 0;
  };
  std::map<std::string, Kept> states;
  for (const StudyTrial* trial : done) {
    // Metrics of no training have no state.
    if (trial->kept.state.empty()) continue;
    const std::int64_t step = trial->kept.step;
    Kept& kept = states.try_emplace(trial->kept.state, Kept{0, step, step}).first->second;
    ++kept.trials;
    kept.fewest = std::min(kept.fewest, step);
    kept.most = std::max(kept.most, step);
  }
  for (const auto& [state, kept] : states) {
    const std::string from = kept.fewest < kept.most ? concat(kept.fewest, " to ") : std::string();
    notes.push_back(concat("Metrics of ", plural(kept.trials, "done trial", "done trials"), " are of the ", state,
                           " state", state == "best" ? " by the key select of the trial" : "", ", after ", from,
                           plural(static_cast<std::size_t>(kept.most), "step", "steps"), "."));
  }
}

void add_missing(const TableFacts& facts, const Trials& done, Notes& notes) {
  const Trials not_done = trials_of_stage(facts, false);
  const std::size_t all = done.size() + not_done.size();
  if (all == 0) notes.push_back("The study has no trials.");
  if (!not_done.empty())
    notes.push_back(concat(not_done.size(), " of ", plural(all, "trial", "trials"), " of the stage ",
                           facts.layout.stage, not_done.size() == 1 ? " is" : " are", " not done: ", list_of(not_done),
                           ". Cells that lack trials show how many they have."));
  if (!facts.layout.without_place.empty())
    notes.push_back(concat(plural(facts.layout.without_place.size(), "trial is", "trials are"),
                           " in no row or column yet: an earlier stage must first choose some of the settings."));
}

/// Adds metrics that no done trial has, and those that some lack.
void add_unknown_metrics(const StudyTable& table, const TableFacts& facts, const Trials& done, Notes& notes) {
  std::set<std::string> seen;
  for (const std::string& name : table.column_metrics) {
    if (done.empty() || !seen.insert(name).second) continue;
    const auto lacking = static_cast<std::size_t>(
        std::count_if(done.begin(), done.end(), [&](const StudyTrial* trial) { return !metric_of(*trial, name); }));
    if (lacking == done.size()) {
      const std::string nearest = nearest_name(name, metrics_of_stage(facts.results, facts.layout.stage));
      notes.push_back(concat("No done trial has the metric ", quoted(name), nearest.empty() ? "." : nearest));
    } else if (lacking > 0) {
      notes.push_back(concat("The metric ", quoted(name), " is not in ", lacking, " of ",
                             plural(done.size(), "done trial", "done trials"), "."));
    }
  }
}

void add_tests(const StudyTable& table, const TableFacts& facts, Notes& notes) {
  if (table.compare.empty()) return;
  const ComparedCells& compared = facts.compared;
  if (compared.with_p > 0)
    notes.push_back(concat(
        "Labels of ", table.compare,
        " differ where two tests agree: a bootstrap of 10,000 draws over items (pairs of one premise together), of the "
        "mean over seeds, and Welch's t-test over the metrics of seeds. p is the larger of the two; its level is ",
        fixed_text(significance_level, 2),
        facts.options.holm
            ? concat(", after Holm's correction for the ", plural(compared.with_p, "test", "tests"), " of the table.")
            : std::string("; nothing is corrected for the number of tests.")));
  if (compared.with_p > 0)
    notes.push_back(
        "No mark is no proof of equality: of two labels that differ by twice the deviation of their seeds, two seeds "
        "mark 11 %, three 37 % and five 77 %, fewer after a correction.");
  if (compared.one_seed > 0)
    notes.push_back(concat(
        compared.one_seed, " of ", plural(compared.pairs, "test", "tests"), " of the table ",
        compared.one_seed == 1 ? "is" : "are",
        " of one seed and can mark nothing: one seed cannot separate a difference of labels from one of seeds."));
  if (compared.mcnemar > 0)
    notes.push_back(
        "McNemar's test of each seed, two-sided, is on the items that only one has right: exact for fewer than 25 such "
        "items, else chi-square with continuity correction. It compares one seed only, so no mark depends on it.");
  notes.insert(notes.end(), compared.notes.begin(), compared.notes.end());
  if (!compared.other_items.empty())
    notes.push_back(concat(plural(compared.other_items.size(), "pair of trials was", "pairs of trials were"),
                           " not tested: they were not measured on the same items (", compared.other_items.front(),
                           ")."));
}

void add_intervals_note(const StudyTable& table, const TableFacts& facts, Notes& notes) {
  const setting::CellInterval interval = facts.options.interval;
  if (interval == setting::CellInterval::none) return;
  if (table.aggregation != setting::Aggregation::mean) {
    notes.push_back("There are no intervals: only means have them.");
    return;
  }
  std::size_t with = 0, with_value = 0;
  for (const auto& row : std::span(table.cells).first(rows_of_trials(table)))
    for (const TableCell& cell : row) {
      with += cell.low.has_value();
      with_value += cell.count > 0;
    }
  std::string note;
  if (interval == setting::CellInterval::t)
    note = "Brackets: 95% intervals of the mean by Student's distribution over trials; one trial has none.";
  if (interval == setting::CellInterval::wilson)
    note =
        "Brackets: 95% intervals by Wilson's formula for shares of items, as if the mean over trials were one trial "
        "and "
        "items did not depend on each other; they do not include the variation of seeds.";
  if (interval == setting::CellInterval::bootstrap)
    note =
        "Brackets: 95% percentile intervals by a bootstrap of 10,000 draws over the items of a metric (premises with "
        "their "
        "pairs; of SICK pairs that sentences connect; token ids of a self-similarity); they do not include the "
        "variation of seeds.";
  if (with < with_value) note += concat(" ", with_value - with, " of ", with_value, " cells have none.");
  notes.push_back(std::move(note));
}

/// Adds a note where there are so few seeds that no sign test over them can find a difference.
void add_sign_test(const StudyTable& table, Notes& notes) {
  std::size_t most = 0;
  for (const auto& row : table.cells)
    for (const TableCell& cell : row) {
      std::set<std::int64_t> seeds;
      for (const CellValue& each : cell.values) seeds.insert(each.seed);
      most = std::max(most, seeds.size());
    }
  static constexpr std::array<const char*, 6> words{"", "", "Two", "Three", "Four", "Five"};
  const double least = least_sign_test_p(static_cast<std::int64_t>(most));
  if (most < 2 || least < significance_level) return;
  notes.push_back(concat(words.at(most), " seeds cannot give a sign test below p = ", least, "."));
}

void add_paper_note(const StudyTable& table, const TableFacts& facts, Notes& notes) {
  const PaperFigures& paper = facts.settings.paper;
  if (paper.source.empty() || !facts.options.paper) return;
  std::size_t found = 0, all = 0;
  for (const auto& row : std::span(table.cells).first(rows_of_trials(table)))
    for (const TableCell& cell : row) {
      found += cell.paper.has_value();
      ++all;
    }
  notes.push_back(found == 0
                      ? concat("No number of table ", paper.table, " of ", paper.source, " belongs to any one cell.")
                      : concat("Paper: table ", paper.table, " of ", paper.source, ", for ", found, " of ",
                               plural(all, "cell", "cells"), "; difference: printed value minus the paper's."));
}

}  // namespace

Notes notes_of(const StudyTable& table, const TableFacts& facts) {
  Notes notes{aggregation_note(table, facts.settings)};
  if (std::string baselines = baseline_note(table, facts.results, facts.settings.cut); !baselines.empty())
    notes.push_back(std::move(baselines));
  const Trials done = trials_of_stage(facts, true);
  add_untrained(done, notes);
  add_states(done, notes);
  if (std::string chosen = chosen_note(table, facts.settings.choice); !chosen.empty())
    notes.push_back(std::move(chosen));
  add_tests(table, facts, notes);
  add_sign_test(table, notes);
  add_intervals_note(table, facts, notes);
  add_paper_note(table, facts, notes);
  add_missing(facts, done, notes);
  add_unknown_metrics(table, facts, done, notes);
  for (const std::string& problem : facts.problems) notes.push_back(concat("Not tested: ", problem));
  return notes;
}

}  // namespace gausscse
