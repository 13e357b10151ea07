#include "data/sts/sts_fields.hpp"

#include <charconv>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

std::optional<double> parse_score(std::string_view text) {
  double score = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (error != std::errc{} || end != text.data() + text.size() || !(score >= 0 && score <= 5)) return std::nullopt;
  return score;
}

double checked_score(std::string_view text) {
  const std::optional<double> score = parse_score(text);
  if (!score) throw InputError(concat("the score, ", quoted(text), ", is not a number from 0 to 5"));
  return *score;
}

std::pair<std::string, std::string> checked_pair(std::string_view text) {
  const std::vector<std::string_view> fields = split_at_tabs(text, 3);
  if (fields.size() != 2) throw InputError(concat(quoted(text), " is not two sentences with one tab between them"));
  return {std::string(checked_sentence(fields[0], "the first", false)),
          std::string(checked_sentence(fields[1], "the second", false))};
}

}  // namespace gausscse
