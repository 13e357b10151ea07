#include "base/strict_json.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 100;
/// Bounds the memory, which may be a hundred times that of the text.
constexpr std::size_t max_values = 4'000'000;

/// Returns `source:line: column c: ` of the byte at `offset`, `column c: ` without a source; lines and columns count
/// from 1, columns in bytes.
std::string place(std::string_view text, std::string_view source_name, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string of_file = source_name.empty() ? "" : at_line(source_name, line) + ": ";
  return concat(of_file, "column ", before.size() - line_start + 1, ": ");
}

/// Returns the part of nlohmann's message behind its position: "... column 3: syntax error while ..." -> "syntax error
/// while ...". It repeats the last token as far as it was read: that may be long, and end within a character.
std::string reason(std::string_view message) {
  constexpr std::size_t longest = 200;
  const std::size_t column = message.find("column ");
  const std::size_t colon = column == std::string_view::npos ? message.find("] ") : message.find(": ", column);
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  const std::string printable = quoted(message, longest);
  return printable.substr(1, printable.size() - 2);
}

/// Input iterator that hands the text to nlohmann and notes how far it came, which its events do not report.
class TextIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TextIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  const char& operator*() const { return *(*furthest_ = at_); }
  TextIterator& operator++() {
    ++at_;
    return *this;
  }
  TextIterator operator++(int) {
    const TextIterator before = *this;
    ++at_;
    return before;
  }
  bool operator==(const TextIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// Builds the value from the parser's events. nlohmann's own builder keeps the last of two equal keys and any depth.
class StrictBuilder final : public nlohmann::json_sax<json> {
 public:
  StrictBuilder(std::string_view text, std::string_view source_name)
      : text_(text), source_name_(source_name), furthest_(text.data()) {}

  TextIterator begin() { return {text_.data(), &furthest_}; }
  TextIterator end() { return {text_.data() + text_.size(), &furthest_}; }
  JsonDocument take() { return std::move(document_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const auto [member, is_new] = open_.back()->get_ref<json::object_t&>().try_emplace(std::move(name));
    if (!is_new) {
      throw InputError(concat(here(), "the key ", quoted(member->first),
                              " appears twice in one JSON object, so its value is ambiguous: keep one of them"));
    }
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    throw InputError(
        concat(place(text_, source_name_, position == 0 ? 0 : position - 1), "not valid JSON: ", reason(error.what())));
  }

 private:
  std::string here() const { return place(text_, source_name_, static_cast<std::size_t>(furthest_ - text_.data())); }

  template <typename Value>
  bool add(Value&& value) {
    place_value(json(std::forward<Value>(value)));
    return true;
  }

  json& place_value(json value) {
    if (++values_ > max_values) {
      throw InputError(concat(here(), "JSON of more than ", max_values,
                              " values, more than any file of this kind has: check that it is the right file"));
    }
    if (open_.empty()) return document_.value() = std::move(value);
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return open_.back()->back();
    }
    return *member_ = std::move(value);
  }

  bool open(json value) {
    if (open_.size() == max_depth) {
      throw InputError(concat(here(), "JSON nested deeper than ", max_depth,
                              " levels, more than any file of this kind has: check that it is the right file"));
    }
    open_.push_back(&place_value(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  std::string_view source_name_;
  const char* furthest_;
  JsonDocument document_;
  std::vector<json*> open_;  ///< the arrays and objects not yet closed; a parent does not grow while a child is open
  json* member_ = nullptr;   ///< the value of the last key, until it is read
  std::size_t values_ = 0;
};

/// Takes the children out of `value`, from the leaves up. No deeper than `max_depth`.
void clear_children(json& value) noexcept {
  if (!value.is_structured()) return;
  for (json& child : value) clear_children(child);
  value.clear();
}

}  // namespace

JsonDocument& JsonDocument::operator=(JsonDocument&& other) noexcept {
  root_.swap(other.root_);
  return *this;
}

JsonDocument::~JsonDocument() {
  clear_children(root_);
}

JsonDocument parse_strict_json(std::string_view text, std::string_view source_name) {
  refuse_other_file(text, source_name);
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    throw InputError(concat(place(text, source_name, bad), "the byte ", quoted(text.substr(bad, 1)),
                            " is not valid UTF-8: save the file as UTF-8"));
  }
  // The parser takes a NUL byte for the end of the text and would not see the rest.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw InputError(concat(place(text, source_name, nul), "not valid JSON: a NUL byte"));
  }
  StrictBuilder builder(text, source_name);
  const bool complete = json::sax_parse(builder.begin(), builder.end(), &builder, json::input_format_t::json, true);
  GAUSSCSE_CHECK(complete, "the JSON parser stopped without an error");
  return builder.take();
}

std::string check_of(const nlohmann::json& object) {
  JsonDocument others(object);
  others.value().erase(check_member);
  return content_hash_of(others->dump());
}

JsonDocument read_strict_json(const std::filesystem::path& path, std::size_t max_bytes, Links links) {
  const std::string text = read_whole_file(path, max_bytes, links);
  return parse_strict_json(text, path.string());
}

}  // namespace gausscse
