#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

template <typename Choice, std::size_t count>
using NameTable = std::array<std::pair<Choice, std::string_view>, count>;

/// Every value of an enumeration that a user chooses from, with its word in files and on the command line. A choice
/// specialises this next to its enumeration; the words are the same wherever they are read or written.
template <typename Choice>
inline constexpr NameTable<Choice, 0> names{};

/// Returns the word of a value; empty for a value that is only the absence of one.
template <typename Choice>
constexpr std::string_view name_of(Choice choice) {
  for (const auto& [value, name] : names<Choice>) {
    if (value == choice) return name;
  }
  return {};
}

/// Returns the value that `word` names, if there is one.
template <typename Choice>
constexpr std::optional<Choice> find_choice(std::string_view word) {
  for (const auto& [value, name] : names<Choice>) {
    if (name == word) return value;
  }
  return std::nullopt;
}

/// Returns all words of a choice, in the order of its table, but that of `without`.
template <typename Choice>
std::vector<std::string> words_of(std::optional<Choice> without = std::nullopt) {
  std::vector<std::string> words;
  for (const auto& [value, name] : names<Choice>)
    if (value != without) words.emplace_back(name);
  return words;
}

/// Returns the words of a choice for a message: "a, b or c".
template <typename Choice>
std::string listed_words(std::optional<Choice> without = std::nullopt) {
  const std::vector<std::string> words = words_of<Choice>(without);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += concat(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return text;
}

/// Returns the value that `word` names. Throws InputError, beginning with `what`, for another word: with the nearest
/// word and all that are known.
template <typename Choice>
Choice parse_choice(std::string_view what, const std::string& word) {
  if (const auto choice = find_choice<Choice>(word)) return *choice;
  throw InputError(concat(what, " is ", quoted(word), ", which is not known", nearest_name(word, words_of<Choice>()),
                          " (known: ", listed_words<Choice>(), ")"));
}

}  // namespace gausscse
