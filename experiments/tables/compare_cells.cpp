#include "experiments/tables/compare_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/lists.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/study/difference_test.hpp"
#include "experiments/tables/pairing.hpp"
#include "experiments/tables/rival_cells.hpp"

namespace gausscse {

namespace {

using Trials = std::vector<const StudyTrial*>;

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

/// Returns the values of a cell's trials.
std::vector<double> values_of_cell(const TableCell& cell) {
  return members_of(cell.values, &CellValue::value);
}

class CellComparison {
 public:
  CellComparison(StudyTable& table, const TableOptions& options, TrialItems& items)
      : table_(table), options_(options), items_(items) {}

  void compare(CellPlace first, const Trials& of_first, CellPlace second, const Trials& of_second) {
    const std::string& name = table_.column_metrics[first.column];
    const Pairing pairing =
        options_.named ? pair_by_seed(of_first, of_second) : pair_by_labels(of_first, of_second, table_.compare);
    const PairedMetric metric(pairing, name, items_);
    found_.other_items.insert(found_.other_items.end(), metric.other_items.begin(), metric.other_items.end());
    if (!pairing.obstacle.empty() && have_items(of_first, name) && have_items(of_second, name))
      add_once(found_.notes, concat("No test over items: ", pairing.obstacle, "."));
    const auto [values_of_first, values_of_second] =
        options_.named ? ValuesOfSides(values_of_cell(cell_at(table_, first)), values_of_cell(cell_at(table_, second)))
                       : metric.seed_means();
    const bool several_seeds = std::min(values_of_first.size(), values_of_second.size()) > 1;
    if (metric.tested == 0 && !(options_.named && several_seeds)) return;
    CellTest test;
    test.seeds = metric.seeds;
    test.sum = sum_of(test.seeds);
    test.rival = label_of_cell(table_, second, table_.compare);
    test.first = true;
    if (metric.first.trials() > 0 || options_.named) {
      found_.one_seed += !several_seeds;
      test.seeds_p = if_number(welch_test(values_of_first, values_of_second).p);
    }
    tests_.push_back({first, second, std::move(test)});
    if (metric.first.trials() > 0 && (several_seeds || draws_all())) plan_difference(metric);
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

  /// Differences that are still to be drawn: of which of `tests_`.
  struct Planned {
    std::vector<std::size_t> tests;
    std::vector<MetricOnSample> differences;
  };

  /// Returns whether items are drawn that no mark needs, which takes two seeds.
  bool draws_all() const { return options_.named || options_.interval == setting::CellInterval::bootstrap; }

  bool have_items(const Trials& trials, const std::string& name) const {
    return std::any_of(trials.begin(), trials.end(),
                       [&](const StudyTrial* trial) { return items_.find(*trial, name); });
  }

  void plan_difference(const PairedMetric& metric) {
    Planned& planned = planned_[metric.first.clusters()];
    planned.tests.push_back(tests_.size() - 1);
    planned.differences.push_back(difference_of(metric.first, metric.second));
  }

  /// Tests of the same items share their draws.
  void draw_differences() {
    for (const auto& [items, planned] : planned_) {
      const std::vector<BootstrapResult> drawn =
          bootstrap_together(items, planned.differences, {.threads = options_.threads});
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        CellTest& test = tests_[planned.tests[i]].test;
        test.low = if_number(drawn[i].interval.low);
        test.high = if_number(drawn[i].interval.high);
        test.bootstrap_p = if_number(drawn[i].p);
        if (test.seeds_p) test.p = if_number(DifferenceTest{drawn[i], *test.seeds_p}.p());
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
  const std::string metric = metric_in(name);
  return options.named || is_share_of_items(metric) ||
         (options.interval == setting::CellInterval::bootstrap && is_metric_of_items(metric));
}

ComparedCells compare_cells(StudyTable& table, const std::vector<std::vector<Trials>>& of_cells,
                            const TableOptions& options, TrialItems& items) {
  if (table.compare.empty()) return {};
  CellComparison comparison(table, options, items);
  std::vector<std::string> by_bootstrap;
  for (const std::vector<CellPlace>& group : rival_cells(table)) {
    const std::string& metric = table.column_metrics[group.front().column];
    if (!can_be_tested(metric, options)) {
      if (is_metric_of_items(metric_in(metric))) add_once(by_bootstrap, metric);
      continue;
    }
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j)
        comparison.compare(group[i], of_cells[group[i].row][group[i].column], group[j],
                           of_cells[group[j].row][group[j].column]);
  }
  ComparedCells compared = comparison.finish_table();
  if (!by_bootstrap.empty())
    compared.notes.push_back(concat("--interval bootstrap also tests ", joined(by_bootstrap), "."));
  for (const std::vector<CellPlace>& group : rival_cells(table)) count_untested(group, table);
  return compared;
}

}  // namespace gausscse
