#include "experiments/report/numbers/band.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "results/text_table.hpp"

namespace gausscse {

void Band::add(std::span<const double> x, std::span<const double> y) {
  GAUSSCSE_CHECK(x.size() == y.size(), x.size(), " and ", y.size());
  ++seeds_;
  const std::size_t parts = std::min(x.size(), most_points_);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * x.size() / parts, count = (part + 1) * x.size() / parts - begin;
    const std::span<const double> places = x.subspan(begin, count);
    const double place = std::accumulate(places.begin(), places.end(), 0.0) / static_cast<double>(count);
    const double value = mean_of_finite(y.subspan(begin, count));
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

BandLines Band::lines() const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  BandLines lines;
  for (const auto& [place, at] : at_) {
    if (at.seeds < seeds_) continue;
    lines.x.push_back(place);
    lines.mean.push_back(at.values > 0 ? at.sum / static_cast<double>(at.values) : none);
    lines.low.push_back(at.values > 0 ? at.low : none);
    lines.high.push_back(at.values > 0 ? at.high : none);
  }
  return lines;
}

}  // namespace gausscse
