#include "experiments/statistics/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// The figures of draws first, first + step, ... into `figures`.
void draw_figures(std::uint32_t items, const FigureOfItems& figure, std::uint64_t seed, std::size_t first,
                  std::size_t step, std::vector<double>& figures) {
  std::vector<std::uint32_t> drawn(items);
  for (std::size_t draw = first; draw < figures.size(); draw += step) {
    PhiloxStream random(seed, draw);
    for (std::uint32_t& item : drawn) item = random.below(items);
    figures[draw] = figure(drawn);
  }
}

std::vector<double> all_figures(std::uint32_t items, const FigureOfItems& figure, const BootstrapSettings& settings) {
  std::vector<double> figures(static_cast<std::size_t>(settings.draws));
  const auto threads = static_cast<std::size_t>(settings.threads);
  std::vector<std::exception_ptr> errors(threads);
  {
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        try {
          draw_figures(items, figure, settings.seed, t, threads, figures);
        } catch (...) {
          errors[t] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return figures;
}

}  // namespace

BootstrapResult bootstrap(std::int64_t items, const FigureOfItems& figure, const BootstrapSettings& settings) {
  GAUSSCSE_CHECK(settings.draws >= 1 && settings.threads >= 1 && settings.confidence > 0 && settings.confidence < 1,
                 settings.draws, " draws, ", settings.threads, " threads, confidence ", settings.confidence);
  GAUSSCSE_CHECK(items >= 0 && items <= std::numeric_limits<std::uint32_t>::max(), items, " items");
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (items == 0) return {{none, none}, none, settings.draws};
  std::vector<double> figures = all_figures(static_cast<std::uint32_t>(items), figure, settings);
  std::erase_if(figures, [](double value) { return std::isnan(value); });
  const std::int64_t undefined = settings.draws - static_cast<std::int64_t>(figures.size());
  if (figures.empty()) return {{none, none}, none, undefined};
  std::sort(figures.begin(), figures.end());
  const double tail = (1 - settings.confidence) / 2;
  const auto not_above = std::upper_bound(figures.begin(), figures.end(), 0.0) - figures.begin();
  const auto not_below = figures.end() - std::lower_bound(figures.begin(), figures.end(), 0.0);
  const auto fewer = static_cast<double>(std::min(not_above, not_below));
  return {{quantile_of_sorted(figures, tail), quantile_of_sorted(figures, 1 - tail)},
          std::min(1.0, 2 * (1 + fewer) / (1 + static_cast<double>(figures.size()))),
          undefined};
}

BootstrapResult bootstrap_difference(std::span<const double> first, std::span<const double> second,
                                     const BootstrapSettings& settings) {
  GAUSSCSE_CHECK(first.size() == second.size(), first.size(), " values against ", second.size());
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(), std::minus<>());
  const auto mean = [&](std::span<const std::uint32_t> items) {
    double sum = 0;
    for (const std::uint32_t item : items) sum += differences[item];
    return sum / static_cast<double>(items.size());
  };
  return bootstrap(static_cast<std::int64_t>(differences.size()), mean, settings);
}

}  // namespace gausscse
