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

/// Calls `take(line, number)` for each line, numbered from 1, until it returns false; returns whether it never did.
template <typename Take>
bool for_each_line(std::string_view text, const Take& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!take(text.substr(0, end), number)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void sort_ids(std::vector<std::uint32_t>& ids) {
  const std::size_t limit = std::size_t{*std::max_element(ids.begin(), ids.end())} + 1;
  if (limit > 4 * ids.size()) {
    std::sort(ids.begin(), ids.end());
    return;
  }
  // The usual ids, almost without gaps, are counted.
  std::vector<std::uint32_t> counts(limit);
  for (const std::uint32_t id : ids) ++counts[id];
  auto next = ids.begin();
  for (std::size_t id = 0; id < limit; ++id) next = std::fill_n(next, counts[id], static_cast<std::uint32_t>(id));
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::pair<std::string, std::uint32_t>> tokens, const std::string& source)
    : tokens_(std::move(tokens)) {
  if (tokens_.empty()) throw InputError(concat(source, ": there is no token in it; give the model's own file"));
  if (!std::is_sorted(tokens_.begin(), tokens_.end())) std::sort(tokens_.begin(), tokens_.end());
  const auto same_token = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::adjacent_find(tokens_.begin(), tokens_.end(), same_token);
  if (twice != tokens_.end()) {
    throw InputError(concat(source, ": token ", quoted(twice->first), " has two ids, ", twice->second, " and ",
                            (twice + 1)->second, ", and only one could be meant; give the model's own file"));
  }
  ids_.reserve(tokens_.size());
  for (const auto& [token, id] : tokens_) ids_.push_back(id);
  sort_ids(ids_);
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
  if (text.starts_with(byte_order_mark)) {
    throw InputError(concat(at_line(source, 1),
                            ": the file begins with a byte-order mark, which would become part of its first token; "
                            "save it as UTF-8 without one"));
  }
  std::vector<std::pair<std::string, std::uint32_t>> tokens;
  for_each_line(text, [&](std::string_view line, std::size_t line_number) {
    const std::size_t invalid = find_invalid_utf8(line);
    if (invalid != std::string_view::npos) {
      throw InputError(concat(at_line(source, line_number), ": byte ", invalid + 1, " of ", quoted(line),
                              " is not UTF-8, so the token could never be met in a text; give the model's own file"));
    }
    const std::string_view token = trim_end(line);
    if (!token.empty()) tokens.emplace_back(token, static_cast<std::uint32_t>(line_number - 1));
    return true;
  });
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

bool Vocabulary::has_lines(std::string_view text) const {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  if (id_limit_ > lines || text.starts_with(byte_order_mark) || find_invalid_utf8(text) != std::string_view::npos)
    return false;
  std::vector<std::string_view> tokens(id_limit_);
  for (const auto& [token, id] : tokens_) tokens[id] = token;
  std::size_t found = 0;
  const bool are_own = for_each_line(text, [&](std::string_view line, std::size_t line_number) {
    const std::string_view token = trim_end(line);
    if (token.empty()) return true;
    ++found;
    return line_number <= id_limit_ && tokens[line_number - 1] == token;
  });
  return are_own && found == tokens_.size();
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
