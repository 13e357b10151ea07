#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gausscse {

/// Returns a curve as one line of at most `width` (>= 1) block characters of eight heights, the lowest value's the
/// least: each represents the mean of an equal part of `values`. Values that are not finite are left out of means and
/// heights; a part of nothing else is a blank. A curve without heights (all values equal) is of the middle height.
std::string sparkline(std::span<const double> values, std::size_t width);

}  // namespace gausscse
