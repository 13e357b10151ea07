#include "experiments/statistics/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Computes the metrics of draws first, first + step, ... into `values`, one row a metric.
void draw_metrics(const ItemClusters& items, std::span<const MetricOnSample> metrics, std::uint64_t seed,
                  std::size_t first, std::size_t step, std::vector<std::vector<double>>& values) {
  std::vector<std::uint32_t> drawn;
  for (std::size_t draw = first; draw < values.front().size(); draw += step) {
    PhiloxStream random(seed, draw);
    items.draw(random, drawn);
    for (std::size_t i = 0; i < metrics.size(); ++i) values[i][draw] = metrics[i](drawn);
  }
}

std::vector<std::vector<double>> all_metrics(const ItemClusters& items, std::span<const MetricOnSample> metrics,
                                             const BootstrapSettings& settings) {
  std::vector<std::vector<double>> values(metrics.size(),
                                          std::vector<double>(static_cast<std::size_t>(settings.draws)));
  const auto threads = static_cast<std::size_t>(settings.threads);
  std::vector<std::exception_ptr> errors(threads);
  {
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        try {
          draw_metrics(items, metrics, settings.seed, t, threads, values);
        } catch (...) {
          errors[t] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return values;
}

BootstrapResult result_of(std::vector<double> metrics, const BootstrapSettings& settings) {
  std::erase_if(metrics, [](double value) { return std::isnan(value); });
  const std::int64_t undefined = settings.draws - static_cast<std::int64_t>(metrics.size());
  if (metrics.empty()) return {{none, none}, none, undefined};
  std::sort(metrics.begin(), metrics.end());
  const double tail = (1 - settings.confidence) / 2;
  const auto not_above = std::upper_bound(metrics.begin(), metrics.end(), 0.0) - metrics.begin();
  const auto not_below = metrics.end() - std::lower_bound(metrics.begin(), metrics.end(), 0.0);
  const auto fewer = static_cast<double>(std::min(not_above, not_below));
  return {{quantile_of_sorted(metrics, tail), quantile_of_sorted(metrics, 1 - tail)},
          std::min(1.0, 2 * (1 + fewer) / (1 + static_cast<double>(metrics.size()))),
          undefined};
}

}  // namespace

std::vector<BootstrapResult> bootstrap_together(const ItemClusters& items, std::span<const MetricOnSample> metrics,
                                                const BootstrapSettings& settings) {
  GAUSSCSE_CHECK(settings.draws >= 1 && settings.threads >= 1 && settings.confidence > 0 && settings.confidence < 1,
                 settings.draws, " draws, ", settings.threads, " threads, confidence ", settings.confidence);
  GAUSSCSE_CHECK(items.items() <= std::numeric_limits<std::uint32_t>::max(), items.items(), " items");
  if (metrics.empty()) return {};
  if (items.items() == 0) return std::vector<BootstrapResult>(metrics.size(), {{none, none}, none, settings.draws});
  std::vector<BootstrapResult> results;
  for (std::vector<double>& of_metric : all_metrics(items, metrics, settings))
    results.push_back(result_of(std::move(of_metric), settings));
  return results;
}

BootstrapResult bootstrap(const ItemClusters& items, const MetricOnSample& metric, const BootstrapSettings& settings) {
  return bootstrap_together(items, {&metric, 1}, settings).front();
}

MetricOnSample difference_of_means(std::span<const double> first, std::span<const double> second) {
  GAUSSCSE_CHECK(first.size() == second.size(), first.size(), " values against ", second.size());
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(), std::minus<>());
  return [differences = std::move(differences)](std::span<const std::uint32_t> items) {
    double sum = 0;
    for (const std::uint32_t item : items) sum += differences[item];
    return sum / static_cast<double>(items.size());
  };
}

}  // namespace gausscse
