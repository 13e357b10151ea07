#include "data/corpus/nli_json_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "data/corpus/nli_label.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 100;
constexpr std::array<std::string_view, 3> needed_keys{"gold_label", "sentence1", "sentence2"};

/// The keys of one JSON object. Objects of a corpus have few, for which a walk is fastest.
class KeySet {
 public:
  /// False if `key` is there already.
  bool insert(const std::string& key) {
    if (!many_.empty()) return many_.insert(key).second;
    if (std::find(few_.begin(), few_.end(), key) != few_.end()) return false;
    few_.push_back(key);
    if (few_.size() > 24) many_.insert(few_.begin(), few_.end());
    return true;
  }

 private:
  std::vector<std::string> few_;
  std::unordered_set<std::string> many_;
};

/// Takes the parser's events and keeps the needed texts alone.
class LineHandler {
 public:
  explicit LineHandler(std::string_view group_key) : group_key_(group_key) {}

  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  bool null() { return other_value("null"); }
  bool boolean(bool value) { return other_value("a truth value", value ? "true" : "false"); }
  bool number_integer(number_integer_t value) { return other_value("a number", std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) { return other_value("a number", std::to_string(value)); }
  bool number_float(number_float_t, const string_t& digits) { return other_value("a number", digits); }
  bool binary(binary_t&) { return false; }

  bool string(string_t& value) {
    if (key_) {
      if (in_group_) group_ = value;
      values_[*key_] = std::move(value);
      return true;
    }
    return other_value("a text", value);
  }

  bool start_object(std::size_t) {
    if (open_.empty()) {
      open_.emplace_back(KeySet());
      return true;
    }
    return open("an object", KeySet());
  }
  bool start_array(std::size_t) { return open("an array", std::nullopt); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    if (!open_.back()->insert(name)) {
      throw InputError(concat("the key ", quoted(name),
                              " appears twice in one object, so its value is ambiguous: keep one of them"));
    }
    key_.reset();
    in_group_ = false;
    if (open_.size() > 1) return true;
    in_group_ = !group_key_.empty() && name == group_key_;
    const auto needed = std::find(needed_keys.begin(), needed_keys.end(), name);
    if (needed != needed_keys.end()) key_ = static_cast<std::size_t>(needed - needed_keys.begin());
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) {
    throw InputError(concat("not valid JSON at column ", position, ": ", reason(error.what())));
  }

  /// Value of the key that groups pairs; empty without such a key.
  std::string group() const {
    if (group_key_.empty()) return {};
    if (!group_)
      throw InputError(concat("the key ", quoted(group_key_), ", by which pairs are to be grouped, is missing"));
    return *group_;
  }

  /// Value of needed_keys[index].
  const std::string& value(std::size_t index) const {
    if (!values_[index]) {
      throw InputError(concat("the key \"", needed_keys[index],
                              "\" is missing: each line needs \"gold_label\", "
                              "\"sentence1\" and \"sentence2\""));
    }
    return *values_[index];
  }

 private:
  /// nlohmann's message without its own prefix and position, cut where it repeats a long token.
  static std::string reason(const std::string& message) {
    constexpr std::size_t longest = 160;
    const std::size_t column = message.find("column ");
    const std::size_t colon = column == std::string::npos ? message.find("] ") : message.find(": ", column);
    std::string text = colon == std::string::npos ? message : message.substr(colon + 2);
    if (text.size() > longest) {
      text.resize(longest);
      text.resize(std::min(find_invalid_utf8(text), text.size()));
      text += "...";
    }
    return text;
  }

  /// `text` is the value as a group's name; nothing for what names none.
  bool other_value(std::string_view kind, std::optional<std::string> text = std::nullopt) {
    if (open_.empty()) {
      throw InputError(concat("the line is ", kind, " where a JSON object is needed: one {...} a line"));
    }
    if (in_group_ && open_.size() == 1) {
      if (!text) throw InputError(concat(quoted(group_key_), " is ", kind, " where a text or a number is needed"));
      group_ = std::move(text);
    }
    if (key_) throw InputError(concat("\"", needed_keys[*key_], "\" is ", kind, " where a text is needed"));
    return true;
  }

  bool open(std::string_view kind, std::optional<KeySet> keys) {
    if (open_.size() == max_depth) {
      throw InputError(concat("JSON nested deeper than ", max_depth, " levels, more than any corpus has"));
    }
    other_value(kind);
    open_.push_back(std::move(keys));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<std::optional<KeySet>> open_;  ///< objects not yet closed with their keys; arrays without
  std::optional<std::size_t> key_;           ///< index in needed_keys, while the next value is one of them
  std::array<std::optional<std::string>, 3> values_;
  std::string_view group_key_;
  bool in_group_ = false;  ///< while the next value is that of `group_key_`
  std::optional<std::string> group_;
};

}  // namespace

NliPair parse_nli_json_line(std::string_view line, NliLabels labels, bool trim, std::string_view group_key) {
  check_utf8(line);
  // The parser takes a NUL byte for the end of the text and would not see what follows it.
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
    throw InputError(concat("not valid JSON at column ", nul + 1, ": a NUL byte"));
  }
  LineHandler handler(group_key);
  const bool complete = json::sax_parse(line.begin(), line.end(), &handler, json::input_format_t::json, true);
  GAUSSCSE_CHECK(complete, "the JSON parser stopped without an error");
  NliPair pair;
  pair.label = parse_nli_label(handler.value(0), labels);
  pair.premise = checked_sentence(handler.value(1), needed_keys[1], trim);
  pair.hypothesis = checked_sentence(handler.value(2), needed_keys[2], trim);
  pair.group = handler.group();
  return pair;
}

}  // namespace gausscse
