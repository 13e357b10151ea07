#include "experiments/tables/compare_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "experiments/statistics/descriptive.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/study/difference_test.hpp"
#include "experiments/tables/rival_cells.hpp"

namespace gausscse {

namespace {

using Trials = std::vector<const StudyTrial*>;
using TrialPair = std::pair<const StudyTrial*, const StudyTrial*>;

bool have_same_labels(const PlannedTrial& a, const PlannedTrial& b, const std::string& but_on) {
  const auto agrees = [&](const PlannedTrial& one, const PlannedTrial& other) {
    return std::all_of(one.coordinates.begin(), one.coordinates.end(), [&](const auto& coordinate) {
      const std::string* label = label_on(other, coordinate.first);
      return coordinate.first == but_on || (label && *label == coordinate.second);
    });
  };
  return agrees(a, b) && agrees(b, a);
}

Trials done_of_seed(const Trials& trials, std::int64_t seed) {
  Trials found;
  for (const StudyTrial* trial : trials)
    if (trial->status == TrialStatus::done && trial->planned.seed == seed) found.push_back(trial);
  return found;
}

/// Returns trials of the two cells that belong together, in the order of the first cell's.
std::vector<TrialPair> pairs_of_trials(const Trials& first, const Trials& second, const std::string& compare) {
  std::vector<TrialPair> pairs;
  for (const StudyTrial* trial : first) {
    if (trial->status != TrialStatus::done) continue;
    const Trials own = done_of_seed(first, trial->planned.seed), others = done_of_seed(second, trial->planned.seed);
    const bool one_each = own.size() == 1 && others.size() == 1;
    for (const StudyTrial* other : others)
      if (one_each || have_same_labels(trial->planned, other->planned, compare)) pairs.emplace_back(trial, other);
  }
  return pairs;
}

/// Returns the test as the rival sees it.
CellTest turned(const CellTest& test, const std::string& rival) {
  CellTest other = test;
  other.rival = rival;
  other.first = false;
  std::swap(other.sum.only_first, other.sum.only_second);
  for (McNemarTest& of_seed : other.seeds) std::swap(of_seed.only_first, of_seed.only_second);
  if (test.low) {
    other.low = -*test.high;
    other.high = -*test.low;
  }
  return other;
}

std::optional<double> if_number(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// A metric of trials that belong together, of the first cell and of the second.
struct PairedMetric {
  MeanOverTrials first, second;
  std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> of_seeds;

  /// Returns the mean of each seed's trials.
  std::pair<std::vector<double>, std::vector<double>> seed_means() const {
    std::pair<std::vector<double>, std::vector<double>> means;
    for (const auto& [seed, values] : of_seeds) {
      means.first.push_back(mean_of(values.first));
      means.second.push_back(mean_of(values.second));
    }
    return means;
  }
};

class CellComparison {
 public:
  CellComparison(StudyTable& table, const TableOptions& options, TrialItems& items)
      : table_(table), options_(options), items_(items) {}

  void compare(CellPlace first, const Trials& of_first, CellPlace second, const Trials& of_second) {
    CellTest test;
    PairedMetric metric;
    const Measurement* measured = nullptr;
    bool on_same_items = true;
    const std::string& name = table_.column_metrics[first.column];
    for (const auto& [a, b] : pairs_of_trials(of_first, of_second, table_.compare)) {
      const TrialItems::Items *in_a = items_.find(*a, name), *in_b = items_.find(*b, name);
      const auto of_a = metric_of(*a, name), of_b = metric_of(*b, name);
      if (!in_a || !in_b || !of_a || !of_b) continue;
      if (in_a->measured != in_b->measured) {
        ++found_.other_items;
        continue;
      }
      on_same_items = on_same_items && (!measured || measured == in_a->measured);
      measured = in_a->measured;
      if (!in_a->metric.right.empty()) test.seeds.push_back(mcnemar_test(in_a->metric, in_b->metric, a->planned.seed));
      if (!on_same_items) continue;
      metric.first.add(in_a->metric);
      metric.second.add(in_b->metric);
      auto& [values_of_first, values_of_second] = metric.of_seeds[a->planned.seed];
      values_of_first.push_back(of_a->value);
      values_of_second.push_back(of_b->value);
    }
    if (!measured) return;
    test.sum = sum_of(test.seeds);
    test.rival = label_of_cell(table_, second, table_.compare);
    test.first = true;
    tests_.push_back({first, second, std::move(test)});
    if (on_same_items) plan_difference(metric);
  }

  ComparedCells finish_table() {
    draw_differences();
    decide();
    for (const Tested& each : tests_) {
      cell_at(table_, each.first).tests.push_back(each.test);
      cell_at(table_, each.second)
          .tests.push_back(turned(each.test, label_of_cell(table_, each.first, table_.compare)));
      found_.mcnemar += !each.test.seeds.empty();
      found_.with_p += each.test.p.has_value();
    }
    found_.pairs = tests_.size();
    return found_;
  }

 private:
  struct Tested {
    CellPlace first, second;
    CellTest test;
  };

  /// Differences that are still to be drawn: of which of `tests_`, and their p over seeds.
  struct Planned {
    std::vector<std::size_t> tests;
    std::vector<MetricOnSample> differences;
    std::vector<double> seeds_p;
  };

  /// Items are drawn only where the draws are used: for a mark, which takes two seeds, or where they are asked for.
  void plan_difference(const PairedMetric& metric) {
    const bool several_seeds = metric.of_seeds.size() > 1;
    found_.one_seed += !several_seeds;
    if (!several_seeds && options_.interval != setting::CellInterval::bootstrap) return;
    const auto [of_first, of_second] = metric.seed_means();
    Planned& planned = planned_[metric.first.clusters()];
    planned.tests.push_back(tests_.size() - 1);
    planned.differences.push_back(difference_of(metric.first, metric.second));
    planned.seeds_p.push_back(welch_test(of_first, of_second).p);
  }

  /// Tests of the same items share their draws.
  void draw_differences() {
    for (const auto& [items, planned] : planned_) {
      const std::vector<BootstrapResult> drawn =
          bootstrap_together(items, planned.differences, {.threads = options_.threads});
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        CellTest& test = tests_[planned.tests[i]].test;
        const DifferenceTest found{drawn[i], planned.seeds_p[i]};
        test.low = if_number(found.items.interval.low);
        test.high = if_number(found.items.interval.high);
        test.bootstrap_p = if_number(found.items.p);
        test.seeds_p = if_number(found.seeds_p);
        test.p = if_number(found.p());
      }
    }
  }

  void decide() {
    std::vector<double> p;
    for (const Tested& each : tests_) p.push_back(each.test.p.value_or(std::numeric_limits<double>::quiet_NaN()));
    if (options_.holm) p = holm_adjusted(p);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      if (options_.holm) tests_[i].test.holm_p = if_number(p[i]);
      tests_[i].test.significant = p[i] < significance_level;
    }
  }

  StudyTable& table_;
  const TableOptions& options_;
  TrialItems& items_;
  std::vector<Tested> tests_;
  std::map<ItemClusters, Planned> planned_;  ///< by the items
  ComparedCells found_;
};

void count_untested(const std::vector<CellPlace>& rivals, StudyTable& table) {
  std::size_t with_value = 0;
  for (const CellPlace& place : rivals) with_value += cell_at(table, place).count > 0;
  for (const CellPlace& place : rivals) {
    TableCell& cell = cell_at(table, place);
    if (cell.count > 0) cell.untested = with_value - 1 - cell.tests.size();
  }
}

}  // namespace

bool can_be_tested(const std::string& name, const TableOptions& options) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  const std::string_view metric = std::string_view(name).substr(dot + 1);
  return is_share_of_items(metric) ||
         (options.interval == setting::CellInterval::bootstrap && is_metric_of_items(metric));
}

ComparedCells compare_cells(StudyTable& table, const std::vector<std::vector<Trials>>& of_cells,
                            const TableOptions& options, TrialItems& items) {
  if (table.compare.empty()) return {};
  CellComparison comparison(table, options, items);
  for (const std::vector<CellPlace>& group : rival_cells(table)) {
    if (!can_be_tested(table.column_metrics[group.front().column], options)) continue;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j)
        comparison.compare(group[i], of_cells[group[i].row][group[i].column], group[j],
                           of_cells[group[j].row][group[j].column]);
  }
  const ComparedCells compared = comparison.finish_table();
  for (const std::vector<CellPlace>& group : rival_cells(table)) count_untested(group, table);
  return compared;
}

}  // namespace gausscse
