#include "experiments/tables/printed_value.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "results/text_table.hpp"

namespace gausscse {

namespace {

/// In hundredths of a percent: more than sums of doubles are off by, less than what lies between two mean accuracies
/// over some seeds on sets of a million pairs.
constexpr double nearness = 1e-6;

/// Hundredths of percent.
double cut_hundredths(double fraction) {
  const double hundredths = 1e4 * fraction, nearest = std::round(hundredths);
  return std::abs(hundredths - nearest) < nearness ? nearest : std::trunc(hundredths);
}

std::string without_negative_zero(std::string text) {
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.size() > 1 && text[0] == '-' ? text.substr(1) : text;
}

int decimals_of(Unit unit) {
  return unit == Unit::number ? 4 : 2;
}

}  // namespace

std::string printed_value(double value, Unit unit, bool cut) {
  if (unit == Unit::number) return without_negative_zero(fixed_text(value, 4));
  if (unit == Unit::count) return without_negative_zero(fixed_text(value, value == std::round(value) ? 0 : 2));
  if (!cut || !std::isfinite(value)) return without_negative_zero(percent_text(value));
  return without_negative_zero(fixed_text(cut_hundredths(value) / 100, 2));
}

double printed_number(const std::string& text) {
  if (text.empty() || text == "-") return std::numeric_limits<double>::quiet_NaN();
  return std::strtod(text.c_str(), nullptr);
}

std::string printed_beside(double value, Unit unit) {
  return unit == Unit::fraction ? without_negative_zero(percent_text(value)) : fixed_text(value, decimals_of(unit));
}

std::string printed_difference(const std::string& value, const std::string& from, Unit unit) {
  const double difference = printed_number(value) - printed_number(from);
  const std::string text = without_negative_zero(fixed_text(difference, decimals_of(unit)));
  return std::isnan(difference) || text[0] == '-' ? text : "+" + text;
}

std::string printed_p(double p) {
  return p < 1e-4 ? "<0.0001" : fixed_text(p, 4);
}

}  // namespace gausscse
