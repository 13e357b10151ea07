#include "experiments/report/html/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace gausscse {

namespace {

std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 400> text;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
  return {text.data(), end};
}

void remove_trailing_zeros(std::string& digits) {
  if (digits.find('.') == std::string::npos) return;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
}

constexpr const char* no_number = "-";

}  // namespace

std::string decimal_text(double value, int decimals) {
  if (!std::isfinite(value)) return no_number;
  std::string text = digits_of(value, std::chars_format::fixed, decimals);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return no_number;
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e7) return decimal_text(value, 0);
  if (size >= 1e-4 && size < 1000) {
    const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
    std::string text = digits_of(value, std::chars_format::fixed, 4 - before_point);
    remove_trailing_zeros(text);
    return text;
  }
  const std::string text = digits_of(value, std::chars_format::scientific, 3);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  remove_trailing_zeros(digits);
  return concat(digits, "e", std::stoi(text.substr(e + 1)));
}

std::string coordinate_text(double value) {
  std::string text = decimal_text(value, 1);
  remove_trailing_zeros(text);
  return text;
}

std::string metric_value_text(double value, Unit unit) {
  if (unit == Unit::fraction) return decimal_text(100.0 * value, 2);
  return decimal_text(value, unit == Unit::count ? 0 : 4);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return no_number;
  if (seconds < 9.95) return decimal_text(seconds, 1) + " s";
  if (seconds > 1e15) return short_number(seconds) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
  if (whole < minute) return concat(whole, " s");
  if (whole < hour) return concat(whole / minute, " min ", whole % minute, " s");
  if (whole < day) return concat(whole / hour, " h ", whole % hour / minute, " min");
  return concat(whole / day, " d ", whole % day / hour, " h");
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return concat(bytes, " B");
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return decimal_text(value, value < 9.95 ? 1 : 0) + " " + units[unit];
}

}  // namespace gausscse
