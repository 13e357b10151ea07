#include "data/tokenizer/vocabulary.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/tokenizer/unicode_properties.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

std::string_view trim_end(std::string_view line) {
  while (!line.empty()) {
    std::size_t end = line.size();
    if (!is_white_space(previous_code_point(line, end))) break;
    line = line.substr(0, end);
  }
  return line;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::pair<std::string, std::uint32_t>> tokens, const std::string& source)
    : tokens_(std::move(tokens)) {
  if (tokens_.empty()) throw InputError(concat(source, ": there is no token in it; give the model's own file"));
  std::sort(tokens_.begin(), tokens_.end());
  const auto same_token = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::adjacent_find(tokens_.begin(), tokens_.end(), same_token);
  if (twice != tokens_.end()) {
    throw InputError(concat(source, ": token ", quoted(twice->first), " has two ids, ", twice->second, " and ",
                            (twice + 1)->second, ", and only one could be meant; give the model's own file"));
  }
  ids_.reserve(tokens_.size());
  for (const auto& [token, id] : tokens_) ids_.push_back(id);
  std::sort(ids_.begin(), ids_.end());
  const auto same_id = std::adjacent_find(ids_.begin(), ids_.end());
  if (same_id != ids_.end()) {
    std::string names;
    for (const auto& [token, id] : tokens_)
      if (id == *same_id) names += concat(names.empty() ? "" : " and ", quoted(token));
    throw InputError(
        concat(source, ": id ", *same_id, " belongs to two tokens, ", names, "; give the model's own file"));
  }
  id_limit_ = std::size_t{ids_.back()} + 1;
}

Vocabulary Vocabulary::from_lines(std::string_view text, const std::string& source) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    throw InputError(concat(at_line(source, 1),
                            ": the file begins with a byte-order mark, which would become part of its first token; "
                            "save it as UTF-8 without one"));
  }
  std::vector<std::pair<std::string, std::uint32_t>> tokens;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const std::size_t invalid = find_invalid_utf8(line);
    if (invalid != std::string_view::npos) {
      throw InputError(concat(at_line(source, line_number), ": byte ", invalid + 1, " of ", quoted(line),
                              " is not UTF-8, so the token could never be met in a text; give the model's own file"));
    }
    const std::string_view token = trim_end(line);
    if (!token.empty()) tokens.emplace_back(token, static_cast<std::uint32_t>(line_number - 1));
  }
  // Checked before the ids become lines in a message of the constructor's.
  std::vector<std::pair<std::string, std::uint32_t>> sorted = tokens;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    throw InputError(concat(at_line(source, sorted[i].second + 1), ": token ", quoted(sorted[i].first),
                            " stands in line ", sorted[i - 1].second + 1,
                            " already, and a token has one id; give the model's own file"));
  }
  return Vocabulary(std::move(sorted), source);
}

std::optional<std::uint32_t> Vocabulary::find(std::string_view token) const {
  const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), token,
                                      [](const auto& entry, std::string_view name) { return entry.first < name; });
  if (found == tokens_.end() || found->first != token) return std::nullopt;
  return found->second;
}

std::uint32_t Vocabulary::require(std::string_view token, const std::string& source, std::string_view purpose) const {
  const std::optional<std::uint32_t> id = find(token);
  if (!id) {
    throw InputError(concat(source, ": the vocabulary has no token ", quoted(token), ", which is ", purpose,
                            "; give the model's own files"));
  }
  return *id;
}

bool Vocabulary::has_id(std::uint32_t id) const {
  return std::binary_search(ids_.begin(), ids_.end(), id);
}

std::vector<std::pair<std::string_view, std::uint32_t>> Vocabulary::entries() const {
  return {tokens_.begin(), tokens_.end()};
}

}  // namespace gausscse
