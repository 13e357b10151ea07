#include "config/schema/yaml_node.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "config/schema/yaml_document.hpp"

namespace gausscse {

namespace {

[[noreturn]] void fail(const YamlNode& node, std::string_view is_not) {
  const char* hint = node.quoted && is_not != "a text" ? " (quotes make it a text)" : "";
  throw ValueProblem{node.position, concat(describe(node), " is not ", is_not, hint)};
}

const std::string& plain_scalar(const YamlNode& node, std::string_view is_not) {
  if (node.kind != YamlNode::Kind::scalar || node.quoted) fail(node, is_not);
  return node.text;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// Returns whether the text is [-+]digits[.digits][e[-+]digits], with at least one digit before the exponent.
bool is_decimal(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole_end = skip_digits(text, at);
  std::size_t digits = whole_end - at;
  at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction_end = skip_digits(text, at + 1);
    digits += fraction_end - at - 1;
    at = fraction_end;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return at < text.size() && skip_digits(text, at) == text.size();
}

/// Returns whether `text` is a whole number with a leading zero: 010 is 8 to YAML 1.1 and 10 to YAML 1.2.
bool may_be_octal(std::string_view text) {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.size() > sign + 1 && text[sign] == '0' && skip_digits(text, sign) == text.size();
}

/// Removes a plus sign, which std::from_chars does not take.
std::string_view without_plus(std::string_view text) {
  return text.substr(!text.empty() && text[0] == '+' ? 1 : 0);
}

constexpr std::size_t max_shown = 20;

/// Returns the entry `key` of `map`, added where there is none.
YamlNode::Entry& entry_of(YamlNode& map, std::string_view key, const YamlPosition& position) {
  for (YamlNode::Entry& entry : map.entries)
    if (entry.key == key) return entry;
  map.entries.push_back({std::string(key), position, {}});
  map.entries.back().value.position = position;
  return map.entries.back();
}

/// Returns the entry with the full name `name`, made with all maps on the way where there is none.
YamlNode::Entry& entry_at(YamlNode& root, std::string_view name, const YamlPosition& position) {
  if (static_cast<std::size_t>(std::count(name.begin(), name.end(), '.')) >= max_yaml_depth)
    throw InputError(concat(to_string(position), ": the key has too many parts"));
  YamlNode* map = &root;
  for (std::size_t begin = 0;;) {
    const std::size_t dot = name.find('.', begin);
    YamlNode::Entry& entry = entry_of(*map, name.substr(begin, dot == name.npos ? dot : dot - begin), position);
    if (dot == name.npos) return entry;
    if (entry.value.kind == YamlNode::Kind::null) entry.value.kind = YamlNode::Kind::map;
    if (entry.value.kind != YamlNode::Kind::map)
      throw InputError(concat(to_string(position), ": ", quoted(name.substr(0, dot)), " is a value and has no keys"));
    map = &entry.value;
    begin = dot + 1;
  }
}

void merge_entry(YamlNode& under, const std::string& name, const YamlPosition& position, const YamlNode& value) {
  YamlNode::Entry& entry = entry_at(under, name, position);
  if (value.kind == YamlNode::Kind::map && entry.value.kind == YamlNode::Kind::map) {
    merge_over(entry.value, value);
    return;
  }
  entry.position = position;
  // Names with dots in it are to be taken apart, too.
  if (value.kind == YamlNode::Kind::map) {
    entry.value = {};
    entry.value.kind = YamlNode::Kind::map;
    entry.value.position = value.position;
    merge_over(entry.value, value);
  } else {
    entry.value = value;
  }
}

}  // namespace

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "an empty value";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a map of keys";
    case YamlNode::Kind::scalar:
      break;
  }
  return quoted(node.text);
}

std::int64_t read_integer(const YamlNode& node) {
  const std::string_view text = plain_scalar(node, "an integer");
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (text.size() == sign || skip_digits(text, sign) != text.size()) fail(node, "an integer");
  if (may_be_octal(text)) fail(node, "an integer without leading zeros");
  const std::string_view digits = without_plus(text);
  std::int64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
    fail(node, "an integer of 64 bits");
  }
  return value;
}

double read_number(const YamlNode& node) {
  const std::string_view text = plain_scalar(node, "a number");
  if (!is_decimal(text)) fail(node, "a number");
  if (may_be_octal(text)) fail(node, "a number without leading zeros");
  const std::string_view digits = without_plus(text);
  double value = 0.0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
    fail(node, "a number that a double can hold");
  }
  return value;
}

bool read_bool(const YamlNode& node) {
  const std::string& text = plain_scalar(node, "true or false");
  if (text == "true") return true;
  if (text == "false") return false;
  fail(node, "true or false");
}

const std::string& read_text(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) fail(node, "a text");
  if (node.text.find('\0') != std::string::npos) {
    throw ValueProblem{node.position, concat(describe(node), " holds a NUL character")};
  }
  return node.text;
}

void ProblemList::add(const std::string& problem) {
  if (all_.insert(problem).second && all_.size() <= max_shown) shown_.push_back(problem);
}

void ProblemList::add(const ProblemList& others) {
  // In their order; those that are not shown are counted.
  for (const std::string& problem : others.shown_) add(problem);
  for (const std::string& problem : others.all_) add(problem);
}

void ProblemList::throw_if_any() const {
  if (empty()) return;
  std::string message;
  for (const std::string& problem : shown_) message += (message.empty() ? "" : "\n") + problem;
  if (all_.size() > max_shown) message += concat("\nand ", all_.size() - max_shown, " more problems");
  throw InputError(message);
}

void set_value(YamlNode& root, std::string_view name, const YamlPosition& position, YamlNode value) {
  YamlNode::Entry& entry = entry_at(root, name, position);
  entry.position = position;
  entry.value = std::move(value);
}

void merge_over(YamlNode& under, const YamlNode& over) {
  for (const YamlNode::Entry& entry : over.entries) merge_entry(under, entry.key, entry.position, entry.value);
}

}  // namespace gausscse
