#include "results/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

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

}  // namespace gausscse
