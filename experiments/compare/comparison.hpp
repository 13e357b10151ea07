#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiments/compare/compared_group.hpp"
#include "experiments/statistics/bootstrap.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/study/difference_test.hpp"

namespace gausscse {

/// Setting in which two groups differ. Values are those of a group's trials, each once, in the order of trials; none
/// where no trial has the setting.
struct SettingDifference {
  std::string name;
  std::vector<std::string> a, b;
};

/// Returns keys of trials ("training.batch_size") whose values differ, of canonical trials (see `canonical_trial`):
/// places of files and keys that change no metric are left out. Configurations that this version cannot read are
/// compared by all keys as they are.
std::vector<SettingDifference> configuration_differences(const ComparedGroup& a, const ComparedGroup& b);

/// Returns the differences in programs, machines and contents of files: "commit", "ranks", "LibTorch", "data.train/1".
std::vector<SettingDifference> provenance_differences(const ComparedGroup& a, const ComparedGroup& b);

/// A metric in one group.
struct GroupMetric {
  std::vector<double> values;  ///< values of the trials that have it, none of them NaN
  double mean = std::numeric_limits<double>::quiet_NaN();
  /// Deviation of the sample; NaN of fewer than two values
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

/// A metric in both groups.
struct MetricComparison {
  std::string task;  ///< or "average.KIND"
  std::string metric;
  Unit unit = Unit::fraction;
  GroupMetric a, b;
  std::optional<double> backbone_a, backbone_b;  ///< value of the first backbone of each group; nothing without one
  double difference = std::numeric_limits<double>::quiet_NaN();  ///< mean of b less mean of a
  std::optional<WelchTest> welch;  ///< Welch's test of a against b, where both have two values or more
  /// McNemar's test of a against b, where pairs are known: of single results, or of the sums over seeds of both
  std::optional<McNemarTest> items;
  std::vector<McNemarTest> items_of_seeds;  ///< tests that were summed, where a group has several results
  /// Bootstrap of `difference` over the items of the same results, where the metric is one of items.
  std::optional<BootstrapResult> bootstrap;
};

struct Comparison {
  ComparedGroup a, b;
  std::vector<MetricComparison> metrics;  ///< metrics of tasks that both have, in the order of a
  std::vector<SettingDifference> configuration, provenance;
  std::vector<std::string> notes;

  /// Returns whether their results began with different encoders: another file, or another key of the backbone.
  bool has_different_backbones() const;
  /// Returns whether both are one result each.
  bool is_of_single_results() const { return a.trials.size() == 1 && b.trials.size() == 1; }
};

/// Compares groups. If they have a seed in common, trials of seeds that only one has are left out, with a note. Throws
/// InputError where they have no task in common, or a task that was measured on other items or is of another
/// kind. Bootstraps take `threads`; the comparison is the same for any number.
Comparison compare_groups(ComparedGroup a, ComparedGroup b, int threads = 1);

/// Refuses groups whose results measured a task of one name on other items, or of another kind. Throws InputError.
void check_items(const ComparedGroup& a, const ComparedGroup& b, const std::string& task);

/// Tests a metric on the items that both groups measured, where it is one of items: between two single results, else
/// between results of the same seed. A share of right items has McNemar's test of each seed and on sums over these, any
/// metric a bootstrap of the difference of means, by `threads`. Obstacles are added to the notes, once.
void test_items(const ComparedGroup& a, const ComparedGroup& b, MetricComparison& metric, int threads,
                std::vector<std::string>& notes);

}  // namespace gausscse
