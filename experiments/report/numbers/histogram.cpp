#include "experiments/report/numbers/histogram.hpp"

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
  // A millionth of a bin of grace: 0.3 belongs to the bin from 0.3 on, also if 0.3 / 0.1 is rounded down.
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
  // The shift rounds down for a negative number, too.
  return times >= 63 ? (bin < 0 ? -1 : 0) : bin >> times;
}

void GrowingHistogram::widen() {
  std::vector<std::int64_t> wider(static_cast<std::size_t>(wider_bin(last(), 1) - wider_bin(first_, 1) + 1), 0);
  for (std::size_t i = 0; i < counts_.size(); ++i)
    wider[static_cast<std::size_t>(wider_bin(first_ + static_cast<std::int64_t>(i), 1) - wider_bin(first_, 1))] +=
        counts_[i];
  counts_ = std::move(wider);
  first_ = wider_bin(first_, 1);
  ++exponent_;
}

void GrowingHistogram::add(double value) {
  // Beyond this the number of a bin would be none.
  if (!std::isfinite(value) || std::abs(value) > 1e15) return;
  auto bin = static_cast<std::int64_t>(std::floor(std::ldexp(value, -exponent_)));
  if (total_++ == 0) {
    first_ = bin;
    counts_ = {1};
    return;
  }
  while (std::max(bin, last()) - std::min(bin, first_) >= most_growing_bins) {
    widen();
    bin = wider_bin(bin, 1);
  }
  if (bin < first_) {
    counts_.insert(counts_.begin(), static_cast<std::size_t>(first_ - bin), 0);
    first_ = bin;
  }
  if (bin > last()) counts_.resize(static_cast<std::size_t>(bin - first_ + 1), 0);
  ++counts_[static_cast<std::size_t>(bin - first_)];
}

std::vector<std::int64_t> GrowingHistogram::counts(int exponent, std::int64_t first, std::int64_t last) const {
  GAUSSCSE_CHECK(exponent >= exponent_ && first <= last, exponent, " ", exponent_, " ", first, " ", last);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(last - first + 1), 0);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::int64_t wide = wider_bin(first_ + static_cast<std::int64_t>(i), exponent - exponent_);
    if (wide >= first && wide <= last) counts[static_cast<std::size_t>(wide - first)] += counts_[i];
  }
  return counts;
}

Histograms over_same_bins(const std::vector<std::pair<std::string, const GrowingHistogram*>>& histograms,
                          std::size_t most) {
  Histograms all;
  int exponent = -1000;
  for (const auto& [label, histogram] : histograms)
    if (histogram->total() > 0) exponent = std::max(exponent, histogram->exponent());
  if (exponent == -1000) return all;
  std::int64_t first = 0, last = 0;
  const auto find_ends = [&] {
    bool any = false;
    for (const auto& [label, histogram] : histograms) {
      if (histogram->total() == 0) continue;
      const int times = exponent - histogram->exponent();
      const std::int64_t low = wider_bin(histogram->first(), times), high = wider_bin(histogram->last(), times);
      first = any ? std::min(first, low) : low;
      last = any ? std::max(last, high) : high;
      any = true;
    }
  };
  for (find_ends(); last - first >= static_cast<std::int64_t>(most); find_ends()) ++exponent;
  all.width = std::ldexp(1.0, exponent);
  all.low = static_cast<double>(first) * all.width;
  for (const auto& [label, histogram] : histograms)
    if (histogram->total() > 0)
      all.series.push_back({label, histogram->counts(exponent, first, last), histogram->total()});
  return all;
}

}  // namespace gausscse
