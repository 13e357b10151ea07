#include "experiments/report/numbers/band.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

struct Part {
  double x = 0, y = 0;
};

/// Returns the mean of [begin, end); y is NaN where there is no finite one.
Part mean_of_part(std::span<const double> x, std::span<const double> y, std::size_t begin, std::size_t end) {
  Part sum;
  std::size_t values = 0;
  for (std::size_t i = begin; i < end; ++i) {
    sum.x += x[i];
    if (!std::isfinite(y[i])) continue;
    sum.y += y[i];
    ++values;
  }
  return {sum.x / static_cast<double>(end - begin),
          values > 0 ? sum.y / static_cast<double>(values) : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

void BandOfSeeds::add(std::span<const double> x, std::span<const double> y) {
  GAUSSCSE_CHECK(x.size() == y.size(), x.size(), " and ", y.size());
  ++seeds_;
  const std::size_t parts = std::min(x.size(), most_points_);
  for (std::size_t part = 0; part < parts; ++part) {
    const auto [place, value] = mean_of_part(x, y, part * x.size() / parts, (part + 1) * x.size() / parts);
    if (!std::isfinite(place)) continue;
    At& at = at_[place];
    ++at.seeds;
    if (!std::isfinite(value)) continue;
    at.low = at.values == 0 ? value : std::min(at.low, value);
    at.high = at.values == 0 ? value : std::max(at.high, value);
    at.sum += value;
    ++at.values;
  }
}

Band BandOfSeeds::band() const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Band band;
  band.seeds = seeds_;
  for (const auto& [place, at] : at_) {
    if (at.seeds < seeds_) continue;
    band.x.push_back(place);
    band.mean.push_back(at.values > 0 ? at.sum / static_cast<double>(at.values) : none);
    band.low.push_back(at.values > 0 ? at.low : none);
    band.high.push_back(at.values > 0 ? at.high : none);
  }
  return band;
}

}  // namespace gausscse
