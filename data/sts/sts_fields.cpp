#include "data/sts/sts_fields.hpp"

#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

double checked_score(std::string_view text) {
  const std::optional<double> score = parse_number(text);
  if (!score) throw InputError(concat("the score, ", quoted(text), ", is not a number from 0 to 5"));
  if (*score >= 0 && *score <= 5) return *score;
  throw FileFault(concat("the score, ", quoted(text),
                         ", is not from 0 to 5: this is no bad line to leave out but another scale: bring all scores "
                         "of the file to 0 to 5"));
}

}  // namespace gausscse
