#include "experiments/study/difference_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "experiments/statistics/tests_of_significance.hpp"

namespace gausscse {

void MeanOverTrials::add(const ItemMetric& trial) {
  GAUSSCSE_CHECK(trials_.empty() || trials_.front()->items() == trial.items(), trial.items(), " items");
  trials_.push_back(&trial);
  item_means_.clear();
}

const ItemClusters& MeanOverTrials::clusters() const {
  static const ItemClusters none(0);
  return trials_.empty() ? none : trials_.front()->clusters;
}

const std::vector<double>& MeanOverTrials::item_means() const {
  if (!item_means_.empty() || trials_.empty() || !trials_.front()->is_mean()) return item_means_;
  item_means_.assign(trials_.front()->items(), 0);
  for (const ItemMetric* trial : trials_) {
    for (std::size_t i = 0; i < trial->right.size(); ++i) item_means_[i] += trial->right[i];
    for (std::size_t i = 0; i < trial->values.size(); ++i) item_means_[i] += trial->values[i];
  }
  for (double& mean : item_means_) mean /= static_cast<double>(trials_.size());
  return item_means_;
}

double MeanOverTrials::on_sample(std::span<const std::uint32_t> drawn) const {
  double sum = 0;
  for (const ItemMetric* trial : trials_) sum += trial->on_sample(drawn);
  return sum / static_cast<double>(trials_.size());
}

MetricOnSample metric_of_draws(const MeanOverTrials& trials) {
  if (const std::vector<double>& means = trials.item_means(); !means.empty())
    return difference_of_means(means, std::vector<double>(means.size(), 0.0));
  return [trials](std::span<const std::uint32_t> drawn) { return trials.on_sample(drawn); };
}

MetricOnSample difference_of(const MeanOverTrials& first, const MeanOverTrials& second) {
  GAUSSCSE_CHECK(first.clusters().items() == second.clusters().items(), first.clusters().items(), " items against ",
                 second.clusters().items());
  if (!first.item_means().empty() && !second.item_means().empty())
    return difference_of_means(first.item_means(), second.item_means());
  return [first, second](std::span<const std::uint32_t> drawn) {
    return first.on_sample(drawn) - second.on_sample(drawn);
  };
}

double DifferenceTest::p() const {
  if (std::isnan(items.p) || std::isnan(seeds_p)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(items.p, seeds_p);
}

McNemarTest mcnemar_test(const ItemMetric& first, const ItemMetric& second, std::optional<std::int64_t> seed) {
  McNemarTest test{seed};
  for (std::size_t i = 0; i < first.right.size(); ++i) {
    test.only_first += first.right[i] && !second.right[i];
    test.only_second += second.right[i] && !first.right[i];
  }
  test.p = mcnemar_p(test.only_first, test.only_second);
  return test;
}

McNemarTest sum_of(std::span<const McNemarTest> tests) {
  McNemarTest sum;
  for (const McNemarTest& test : tests) {
    sum.only_first += test.only_first;
    sum.only_second += test.only_second;
  }
  sum.p = mcnemar_p(sum.only_first, sum.only_second);
  return sum;
}

}  // namespace gausscse
