#include "data/corpus/json_row.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 100;

/// The keys of one JSON object. Objects of a corpus have few, for which a walk is fastest.
class KeySet {
 public:
  /// Returns false if `key` is there already.
  bool insert(const std::string& key) {
    if (!many_.empty()) return many_.insert(key).second;
    if (std::find(few_.begin(), few_.end(), key) != few_.end()) return false;
    few_.push_back(key);
    if (few_.size() > 24) many_.insert(few_.begin(), few_.end());
    return true;
  }

  std::vector<std::string>& first() { return few_; }

 private:
  std::vector<std::string> few_;
  std::unordered_set<std::string> many_;
};

/// Receiver of the parser's events, which keeps the values of the wanted keys alone.
class ObjectHandler final : public nlohmann::json_sax<json> {
 public:
  ObjectHandler(const std::vector<std::string>& keys, std::vector<JsonRow::Value>& values,
                std::vector<std::string>& found)
      : keys_(keys), values_(values), found_(found) {}

  bool null() override {
    return keep("null", [] { return std::string(); });
  }
  bool boolean(bool value) override {
    return keep("a truth value", [&] { return std::string(value ? "true" : "false"); });
  }
  bool number_integer(number_integer_t value) override {
    return keep("a number", [&] { return std::to_string(value); });
  }
  bool number_unsigned(number_unsigned_t value) override {
    return keep("a number", [&] { return std::to_string(value); });
  }
  bool number_float(number_float_t, const string_t& digits) override {
    return keep("a number", [&] { return digits; });
  }
  bool string(string_t& value) override {
    return keep("a text", [&] { return std::move(value); });
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (!open_.empty()) return open("an object", KeySet());
    open_.emplace_back(KeySet());
    return true;
  }
  bool start_array(std::size_t) override { return open(open_.size() == 1 ? texts_kind : "an array", std::nullopt); }
  bool end_object() override {
    if (open_.size() == 1) found_ = std::move(open_.front()->first());
    return close();
  }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!open_.back()->insert(name)) {
      throw InputError(concat("the key ", quoted(name),
                              " appears twice in one object, so its value is ambiguous: keep one of them"));
    }
    if (open_.size() > 1) return true;
    const auto wanted = std::find(keys_.begin(), keys_.end(), name);
    value_ = wanted == keys_.end() ? nullptr : &values_[static_cast<std::size_t>(wanted - keys_.begin())];
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    throw InputError(concat("not valid JSON at column ", position, ": ", reason(error.what())));
  }

 private:
  /// Returns nlohmann's message without its own prefix and position, cut where it repeats a long token.
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

  template <typename Text>
  bool keep(std::string_view kind, const Text& text) {
    if (open_.empty()) {
      throw InputError(concat("the line is ", kind, " where a JSON object is needed: one {...} a line"));
    }
    if (open_.size() == 1 && value_) *value_ = {kind, text(), {}};
    if (open_.size() == 2 && value_ && value_->kind == texts_kind) {
      if (kind == "a text")
        value_->elements.push_back(text());
      else
        value_->kind = "an array";
    }
    return true;
  }

  bool open(std::string_view kind, std::optional<KeySet> keys) {
    if (open_.size() == max_depth) {
      throw InputError(concat("JSON nested deeper than ", max_depth, " levels, more than any corpus has"));
    }
    keep(kind, [] { return std::string(); });
    open_.push_back(std::move(keys));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  /// Kind of an array as long as all of its elements are texts.
  static constexpr std::string_view texts_kind = "an array of texts";

  const std::vector<std::string>& keys_;
  std::vector<JsonRow::Value>& values_;
  std::vector<std::string>& found_;
  std::vector<std::optional<KeySet>> open_;  ///< objects not yet closed with their keys; arrays without
  JsonRow::Value* value_ = nullptr;          ///< place of the next value of the outer object; null: not wanted
};

}  // namespace

void JsonRow::parse(std::string_view line) {
  for (Value& value : values_) value.kind = {};
  found_.clear();
  // The parser takes a NUL byte for the end of the text and would not see what follows it.
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
    throw InputError(concat("not valid JSON at column ", nul + 1, ": a NUL byte"));
  }
  ObjectHandler handler(keys_, values_, found_);
  const bool complete = json::sax_parse(line.begin(), line.end(), &handler, json::input_format_t::json, true);
  GAUSSCSE_CHECK(complete, "the JSON parser stopped without an error");
}

}  // namespace gausscse
