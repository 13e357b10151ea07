#include "experiments/report/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t most_growing_bins = 1024;

}  // namespace

FixedHistogram::FixedHistogram(double low, double width, std::size_t bins)
    : bins_{low, width, std::vector<std::int64_t>(bins, 0)} {}

void FixedHistogram::add(double value) {
  if (std::isnan(value)) return;
  ++total_;
  const double bins = static_cast<double>(bins_.counts.size());
  // A millionth of a bin of grace: 0.3 belongs to the bin from 0.3 on, whatever 0.3 / 0.1 rounds to.
  const double place = (value - bins_.low) / bins_.width + 1e-6;
  if (place < 0) {
    ++below_;
  } else if (place > bins + 2e-6) {
    ++above_;
  } else {
    ++bins_.counts[static_cast<std::size_t>(std::min(std::floor(place), bins - 1))];
  }
}

std::int64_t wider_bin(std::int64_t bin, int times) {
  // Of a negative number, too, the shift rounds down.
  return times >= 63 ? (bin < 0 ? -1 : 0) : bin >> times;
}

void GrowingHistogram::add(double value) {
  // Beyond this the number of a bin would be none.
  if (!std::isfinite(value) || std::abs(value) > 1e15) return;
  ++total_;
  ++counts_[static_cast<std::int64_t>(std::floor(std::ldexp(value, -exponent_)))];
  while (last() - first() >= most_growing_bins) {
    std::map<std::int64_t, std::int64_t> wider;
    for (const auto& [bin, count] : counts_) wider[wider_bin(bin, 1)] += count;
    counts_ = std::move(wider);
    ++exponent_;
  }
}

std::vector<std::int64_t> GrowingHistogram::counts(int exponent, std::int64_t first, std::int64_t last) const {
  GAUSSCSE_CHECK(exponent >= exponent_ && first <= last, exponent, " ", exponent_, " ", first, " ", last);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(last - first + 1), 0);
  for (const auto& [bin, count] : counts_) {
    const std::int64_t wide = wider_bin(bin, exponent - exponent_);
    if (wide >= first && wide <= last) counts[static_cast<std::size_t>(wide - first)] += count;
  }
  return counts;
}

}  // namespace gausscse
