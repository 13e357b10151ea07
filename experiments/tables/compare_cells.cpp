#include "experiments/tables/compare_cells.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "experiments/statistics/bootstrap.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
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

/// Trials of the two cells that belong together, in the order of the first cell's.
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

CellTest::OfSeed count_discordant(const std::vector<std::uint8_t>& first, const std::vector<std::uint8_t>& second,
                                  std::int64_t seed) {
  CellTest::OfSeed counts{seed, 0, 0};
  for (std::size_t i = 0; i < first.size(); ++i) {
    counts.only_this += first[i] && !second[i];
    counts.only_rival += !first[i] && second[i];
  }
  return counts;
}

/// The test as the rival sees it.
CellTest turned(const CellTest& test, const std::string& rival) {
  CellTest other = test;
  other.rival = rival;
  other.first = false;
  std::swap(other.only_this, other.only_rival);
  for (CellTest::OfSeed& seed : other.seeds) std::swap(seed.only_this, seed.only_rival);
  if (test.low) {
    other.low = -*test.high;
    other.high = -*test.low;
  }
  return other;
}

class CellComparison {
 public:
  CellComparison(StudyTable& table, const TableOptions& options, TrialItems& items)
      : table_(table), options_(options), items_(items) {}

  void compare(CellPlace first, const Trials& of_first, CellPlace second, const Trials& of_second) {
    CellTest test;
    std::vector<double> mean_of_first, mean_of_second;
    const Measurement* measured = nullptr;
    bool on_same_items = true;
    const std::string& figure = table_.column_figures[first.column];
    for (const auto& [a, b] : pairs_of_trials(of_first, of_second, table_.compare)) {
      const TrialItems::Items *in_a = items_.find(*a, figure), *in_b = items_.find(*b, figure);
      if (!in_a || !in_b) continue;
      if (in_a->measured != in_b->measured) {
        ++found_.other_items;
        continue;
      }
      test.seeds.push_back(count_discordant(in_a->right, in_b->right, a->planned.seed));
      on_same_items = on_same_items && (!measured || measured == in_a->measured);
      measured = in_a->measured;
      add(in_a->right, mean_of_first);
      add(in_b->right, mean_of_second);
    }
    if (test.seeds.empty()) return;
    finish(test);
    if (options_.interval == setting::CellInterval::bootstrap && on_same_items)
      add_bootstrap(mean_of_first, mean_of_second, test);
    test.rival = label_of_cell(table_, second, table_.compare);
    test.first = true;
    tests_.push_back({first, second, std::move(test)});
  }

  ComparedCells finish_table() {
    if (options_.holm) correct();
    for (const Tested& each : tests_) {
      cell(each.first).tests.push_back(each.test);
      cell(each.second).tests.push_back(turned(each.test, label_of_cell(table_, each.first, table_.compare)));
    }
    found_.pairs = tests_.size();
    return found_;
  }

 private:
  struct Tested {
    CellPlace first, second;
    CellTest test;
  };

  TableCell& cell(CellPlace place) { return table_.cells[place.row][place.column]; }

  static void add(const std::vector<std::uint8_t>& right, std::vector<double>& sums) {
    if (sums.size() < right.size()) sums.resize(right.size());
    for (std::size_t i = 0; i < right.size(); ++i) sums[i] += right[i];
  }

  void finish(CellTest& test) {
    for (const CellTest::OfSeed& seed : test.seeds) {
      test.only_this += seed.only_this;
      test.only_rival += seed.only_rival;
      test.p_of_seeds.push_back(mcnemar_p(seed.only_this, seed.only_rival));
    }
    test.p_of_sums = mcnemar_p(test.only_this, test.only_rival);
    test.significant = test.p_of_sums < significance_level;
    found_.most_seeds = std::max(found_.most_seeds, test.seeds.size());
  }

  void add_bootstrap(std::vector<double>& first, std::vector<double>& second, CellTest& test) const {
    for (std::vector<double>* sums : {&first, &second})
      for (double& sum : *sums) sum /= static_cast<double>(test.seeds.size());
    const BootstrapResult found = bootstrap_difference(first, second, {.threads = options_.threads});
    test.low = found.interval.low;
    test.high = found.interval.high;
    test.bootstrap_p = found.p;
  }

  void correct() {
    std::vector<double> p;
    for (const Tested& each : tests_) p.push_back(each.test.p_of_sums);
    const std::vector<double> adjusted = holm_adjusted(p);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      tests_[i].test.holm_p = adjusted[i];
      tests_[i].test.significant = adjusted[i] < significance_level;
    }
  }

  StudyTable& table_;
  const TableOptions& options_;
  TrialItems& items_;
  std::vector<Tested> tests_;
  ComparedCells found_;
};

}  // namespace

bool can_be_tested(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot != std::string::npos && is_share_of_items(std::string_view(name).substr(dot + 1));
}

ComparedCells compare_cells(StudyTable& table, const std::vector<std::vector<Trials>>& of_cells,
                            const TableOptions& options, TrialItems& items) {
  if (table.compare.empty()) return {};
  CellComparison comparison(table, options, items);
  for (const std::vector<CellPlace>& group : rival_cells(table)) {
    if (!can_be_tested(table.column_figures[group.front().column])) continue;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j)
        comparison.compare(group[i], of_cells[group[i].row][group[i].column], group[j],
                           of_cells[group[j].row][group[j].column]);
  }
  return comparison.finish_table();
}

}  // namespace gausscse
