#include "data/word_vectors/word_vector_reader.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

constexpr std::uint64_t largest_width = 1 << 20;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view without_blanks_behind(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the last field off `text`; empty where there is none.
std::string_view take_last_field(std::string_view& text) {
  text = without_blanks_behind(text);
  std::size_t begin = text.size();
  while (begin > 0 && !is_blank(text[begin - 1])) --begin;
  const std::string_view field = text.substr(begin);
  text.remove_suffix(field.size());
  return field;
}

std::size_t count_fields(std::string_view text) {
  std::size_t count = 0;
  while (!take_last_field(text).empty()) ++count;
  return count;
}

/// Returns nothing where it is no number; infinite where float32 has none so large.
std::optional<float> parse_value(std::string_view text) {
  // from_chars knows no plus, and would take the minus behind one.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  float value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || code == std::errc::invalid_argument) return std::nullopt;
  // So is a number nearer to 0 than any float32.
  if (code == std::errc::result_out_of_range) return std::strtof(std::string(text).c_str(), nullptr);
  return value;
}

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

WordVectorReader::WordVectorReader(ByteSource& source, std::string name) : lines_(source, std::move(name)) {
  read_first_line();
}

void WordVectorReader::fail(const std::string& what) const {
  throw InputError(concat(at_line(lines_.name(), lines_.line_number()), ": ", what));
}

void WordVectorReader::fail_as_of_another_width(std::size_t values) const {
  fail(concat("the line has ", values, " values, but ", width(),
              said_ ? " are given in the first line" : " are in the first line",
              ": all vectors must be of one width; the file is damaged, or two were put together"));
}

void WordVectorReader::read_first_line() {
  std::string_view line;
  if (!lines_.next(line))
    throw InputError(
        concat(lines_.name(), ": the file is empty: give a file of word vectors, a word and its values a line"));
  std::string_view rest = line;
  const std::size_t fields = count_fields(line);
  if (fields < 2)
    fail(
        concat("the line ", quoted(line), " has no values: give a file of word vectors, a word and its values a line"));
  if (fields == 2) {
    const auto width = parse_whole_number(take_last_field(rest)), words = parse_whole_number(take_last_field(rest));
    if (width && words) {
      if (*width == 0 || *width > largest_width)
        fail(
            concat("the first line says that vectors have ", *width, " values: give a file with 1 to ", largest_width));
      said_ = words;
      values_.resize(static_cast<std::size_t>(*width));
      return;
    }
  }
  if (fields - 1 > largest_width)
    fail(concat("the line has ", fields - 1, " values: at most ", largest_width, " are read"));
  values_.resize(fields - 1);
  first_ = line;
}

bool WordVectorReader::next(std::string_view& word, std::span<const float>& vector) {
  std::string_view line;
  if (first_ && read_ == 0) {
    line = *first_;
  } else if (!lines_.next(line)) {
    if (said_ && *said_ != read_)
      throw InputError(concat(lines_.name(), ": the first line gives ", *said_, " words, but the file has ", read_,
                              ": it was cut short, or is not whole"));
    if (read_ == 0) throw InputError(concat(lines_.name(), ": the file has no word: give a file of word vectors"));
    return false;
  }
  read_values(line);
  ++read_;
  word = word_;
  vector = values_;
  return true;
}

void WordVectorReader::read_values(std::string_view line) {
  std::string_view rest = line;
  for (std::size_t i = values_.size(); i-- > 0;) {
    const std::string_view field = take_last_field(rest);
    const std::optional<float> value = parse_value(field);
    if (!value) {
      const std::size_t fields = count_fields(line);
      if (fields <= values_.size()) fail_as_of_another_width(fields == 0 ? 0 : fields - 1);
      fail(concat("value ", i + 1, ", ", quoted(field), ", is not a number: mend the line",
                  first_ && read_ == 0 ? " (the word of the first line must have no blank inside)" : ""));
    }
    if (!std::isfinite(*value))
      fail(concat("value ", i + 1, ", ", quoted(field), ", is not a finite number of float32: mend the line"));
    values_[i] = *value;
  }
  word_ = without_blanks_behind(rest);
  if (word_.empty()) fail_as_of_another_width(values_.size() - 1);
  try {
    check_utf8(word_);
  } catch (const InputError& error) {
    fail(concat("the word ", quoted(word_), ": ", error.what()));
  }
  std::string_view before = word_;
  const std::string_view last = take_last_field(before);
  if (before.empty()) return;
  const std::optional<float> one_more = parse_value(last);
  if (one_more && std::isfinite(*one_more)) fail_as_of_another_width(count_fields(line) - 1);
}

}  // namespace gausscse
