#include "results/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padding(std::size_t width, const std::string& text) {
  return std::string(width - code_points(text), ' ');
}

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

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> width(columns, 0);
  for (const auto& row : rows) {
    GAUSSCSE_CHECK(row.size() == columns, row.size(), " cells of ", columns);
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], code_points(row[c]));
  }
  std::string table;
  for (const auto& row : rows) {
    table += row[0] + padding(width[0], row[0]);
    for (std::size_t c = 1; c < columns; ++c) table += "  " + padding(width[c], row[c]) + row[c];
    table += '\n';
  }
  return table;
}

std::string fixed_text(double value, int decimals) {
  if (std::isnan(value)) return "-";
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string percent_text(double fraction) {
  return fixed_text(100.0 * fraction, 2);
}

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
