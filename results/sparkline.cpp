#include "results/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t middle = 3;

double mean_of_finite(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

}  // namespace

std::string sparkline(std::span<const double> values, std::size_t width) {
  GAUSSCSE_CHECK(width >= 1, width);
  const std::size_t parts = std::min(width, values.size());
  std::vector<double> heights;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = values.size() * i / parts, end = values.size() * (i + 1) / parts;
    heights.push_back(mean_of_finite(values.subspan(begin, end - begin)));
    if (std::isnan(heights.back())) continue;
    lowest = std::min(lowest, heights.back());
    highest = std::max(highest, heights.back());
  }
  std::string line;
  for (const double height : heights) {
    if (std::isnan(height)) {
      line += ' ';
    } else if (highest > lowest) {
      const double part = (height - lowest) / (highest - lowest) * static_cast<double>(blocks.size());
      line += blocks[std::min(blocks.size() - 1, static_cast<std::size_t>(part))];
    } else {
      line += blocks[middle];
    }
  }
  return line;
}

}  // namespace gausscse
