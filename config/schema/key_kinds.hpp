#pragma once

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "config/schema/key.hpp"
#include "config/schema/yaml_node.hpp"

/// Makers of keys, by the kind of their values.
namespace gausscse::key_kinds {

/// A member of a record, at any depth.
template <typename Record, typename Value>
struct Field {
  std::function<Value&(Record&)> get;

  const Value& of(const Record& record) const { return get(const_cast<Record&>(record)); }
};

/// Returns the field at `first`, or at a member of it: `at(&Trial::model, &Trial::Model::pooling)`.
template <typename Record, typename First, typename... Rest>
auto at(First Record::*first, Rest... rest) {
  using Value = std::remove_reference_t<decltype(((std::declval<Record&>().*first).*....*rest))>;
  return Field<Record, Value>{[=](Record& record) -> Value& { return ((record.*first).*....*rest); }};
}

/// Returns `Key::copy` of a key that is a member.
template <typename Record, typename Value>
auto copy_of(const Field<Record, Value>& field) {
  return [field](const Record& from, Record& to) { field.get(to) = field.of(from); };
}

/// The most that is allowed of what has no bound by nature, such as steps.
inline constexpr std::int64_t many = 1'000'000'000;

/// Bounds of a number.
struct Range {
  double lowest;
  double highest = std::numeric_limits<double>::infinity();
  bool above_lowest = false;
  bool below_highest = false;

  bool holds(double value) const {
    return (above_lowest ? value > lowest : value >= lowest) && (below_highest ? value < highest : value <= highest);
  }
  /// Returns "a number from 0 to 1".
  std::string text(const char* kind) const;
};

/// Returns the shortest decimal form that reads back as the same double.
std::string shortest(double value);

/// Throws ValueProblem unless the node holds an integer, or a number, within bounds.
std::int64_t read_integer_in(const YamlNode& node, std::int64_t lowest, std::int64_t highest);
double read_number_in(const YamlNode& node, const Range& range);
/// Returns a path made absolute from `base_folder`. Throws ValueProblem for an empty or overlong one.
std::filesystem::path read_path(const YamlNode& node, const std::filesystem::path& base_folder);
/// Returns one path or a list of them. Throws ValueProblem for an empty list as well.
std::vector<std::filesystem::path> read_paths(const YamlNode& node, const std::filesystem::path& base_folder);
/// Returns one text or a list of them, each with something in it.
std::vector<std::string> read_texts(const YamlNode& node);
/// Writes a text, or a path, in quotes always: an unquoted 3 or ~ would be no text.
void write_text(YAML::Emitter& out, const std::string& text);
void write_path(YAML::Emitter& out, const std::filesystem::path& path);

/// Returns the key of a member: `read` makes its value of a node, or of a node and the folder of relative paths, and
/// `write` prints it.
template <typename Record, typename Value, typename Read, typename Write>
Key<Record> of_member(const std::string& name, const Field<Record, Value>& field, const std::string& allowed,
                      const std::string& meaning, Read read, Write write) {
  return {.name = name,
          .allowed = allowed,
          .meaning = meaning,
          .read =
              [=](const YamlNode& node, const KeyContext& context, Record& record) {
                if constexpr (std::is_invocable_v<Read, const YamlNode&>)
                  field.get(record) = read(node);
                else
                  field.get(record) = read(node, context.base_folder);
              },
          .write = [=](const Record& record, YAML::Emitter& out) { write(out, field.of(record)); },
          .copy = copy_of(field)};
}

/// Returns the key as one that is not printed where its member is empty.
template <typename Record, typename Value>
Key<Record> unless_empty(const Field<Record, Value>& field, Key<Record> key) {
  key.is_set = [=](const Record& record) { return !field.of(record).empty(); };
  return key;
}

/// Writes a list of values, each by `write`.
template <typename Value, typename Write>
void write_list(YAML::Emitter& out, const std::vector<Value>& values, const Write& write) {
  out << YAML::BeginSeq;
  for (const Value& each : values) write(out, each);
  out << YAML::EndSeq;
}

template <typename Record>
Key<Record> integer(const std::string& name, Field<Record, std::int64_t> field, std::int64_t lowest,
                    std::int64_t highest, const std::string& meaning) {
  return of_member(
      name, field, concat("an integer from ", lowest, " to ", highest), meaning,
      [=](const YamlNode& node) { return read_integer_in(node, lowest, highest); },
      [](YAML::Emitter& out, std::int64_t value) { out << std::to_string(value); });
}

/// Returns a value that `read` takes from a node and `text` prints, or the word `otherwise` for nothing. `allowed` says
/// in words what values there are.
template <typename Record, typename Value, typename Read, typename Text>
Key<Record> optional_of(const std::string& name, Field<Record, std::optional<Value>> field,
                        const std::string& otherwise, const std::string& allowed, const std::string& meaning, Read read,
                        Text text) {
  return of_member(
      name, field, concat(otherwise, ", or ", allowed), meaning,
      [=](const YamlNode& node) {
        const bool is_none = node.kind == YamlNode::Kind::scalar && node.text == otherwise;
        return is_none ? std::nullopt : std::optional<Value>(read(node));
      },
      [=](YAML::Emitter& out, const std::optional<Value>& value) { out << (value ? text(*value) : otherwise); });
}

/// Returns an integer, or the word `otherwise` for nothing.
template <typename Record>
Key<Record> integer_or(const std::string& name, Field<Record, std::optional<std::int64_t>> field, std::int64_t lowest,
                       std::int64_t highest, const std::string& otherwise, const std::string& meaning) {
  return optional_of(
      name, field, otherwise, concat("an integer from ", lowest, " to ", highest), meaning,
      [=](const YamlNode& node) { return read_integer_in(node, lowest, highest); },
      [](std::int64_t value) { return std::to_string(value); });
}

template <typename Record>
Key<Record> number(const std::string& name, Field<Record, double> field, Range range, const std::string& meaning) {
  return of_member(
      name, field, range.text("a number"), meaning, [=](const YamlNode& node) { return read_number_in(node, range); },
      [](YAML::Emitter& out, double value) { out << shortest(value); });
}

/// Returns a number, or the word `otherwise` for nothing.
template <typename Record>
Key<Record> number_or(const std::string& name, Field<Record, std::optional<double>> field, Range range,
                      const std::string& otherwise, const std::string& meaning) {
  return optional_of(
      name, field, otherwise, range.text("a number"), meaning,
      [=](const YamlNode& node) { return read_number_in(node, range); }, shortest);
}

template <typename Record>
Key<Record> boolean(const std::string& name, Field<Record, bool> field, const std::string& meaning) {
  return of_member(name, field, "true or false", meaning, read_bool,
                   [](YAML::Emitter& out, bool value) { out << value; });
}

/// Returns any text; an empty one is none.
template <typename Record>
Key<Record> text(const std::string& name, Field<Record, std::string> field, const std::string& allowed,
                 const std::string& meaning) {
  return unless_empty(field, of_member(name, field, allowed, meaning, read_text, write_text));
}

/// Returns one text or a list of them; an empty list is none.
template <typename Record>
Key<Record> texts(const std::string& name, Field<Record, std::vector<std::string>> field, const std::string& allowed,
                  const std::string& meaning) {
  return unless_empty(field, of_member(name, field, allowed, meaning, read_texts,
                                       [](YAML::Emitter& out, const std::vector<std::string>& values) {
                                         out << YAML::Flow;
                                         write_list(out, values, write_text);
                                       }));
}

template <typename Record>
Key<Record> path(const std::string& name, Field<Record, std::filesystem::path> field, const std::string& meaning) {
  return unless_empty(field, of_member(name, field, "a path", meaning, read_path, write_path));
}

/// Returns a path, or "" for none.
template <typename Record>
Key<Record> optional_path(const std::string& name, Field<Record, std::filesystem::path> field,
                          const std::string& meaning) {
  return of_member(
      name, field, "a path, or \"\"", meaning,
      [](const YamlNode& node, const std::filesystem::path& base_folder) {
        return read_text(node).empty() ? std::filesystem::path() : read_path(node, base_folder);
      },
      write_path);
}

/// Returns one path or a list of them.
template <typename Record>
Key<Record> paths(const std::string& name, Field<Record, std::vector<std::filesystem::path>> field,
                  const std::string& meaning) {
  return of_member(name, field, "a path or a list of paths", meaning, read_paths,
                   [](YAML::Emitter& out, const std::vector<std::filesystem::path>& values) {
                     write_list(out, values, write_path);
                   });
}

/// Returns one of the words of `names<Choice>`, but that of `without`.
template <typename Choice>
Choice read_choice(const YamlNode& node, std::optional<Choice> without = std::nullopt) {
  const std::string& word = read_text(node);
  if (const auto value = find_choice<Choice>(word)) {
    if (value != without) return *value;
    throw ValueProblem{node.position, concat(describe(node), " cannot be chosen here")};
  }
  throw ValueProblem{node.position,
                     concat(describe(node), " is not known", nearest_name(word, words_of<Choice>(without)))};
}

/// Writes the word of a choice.
template <typename Choice>
void write_choice(YAML::Emitter& out, Choice choice) {
  out << std::string(name_of(choice));
}

template <typename Record, typename Choice>
Key<Record> choice(const std::string& name, Field<Record, Choice> field, const std::string& meaning,
                   std::optional<Choice> without = std::nullopt) {
  Key<Record> key = of_member(
      name, field, listed_words<Choice>(without), meaning,
      [=](const YamlNode& node) { return read_choice<Choice>(node, without); }, write_choice<Choice>);
  key.is_set = [=](const Record& record) { return !name_of(field.of(record)).empty(); };
  return key;
}

/// Returns one or several of them, each once.
template <typename Record, typename Choice>
Key<Record> choices(const std::string& name, Field<Record, std::vector<Choice>> field, const std::string& meaning) {
  const auto read = [](const YamlNode& node) {
    const bool listed = node.kind == YamlNode::Kind::sequence;
    std::vector<Choice> values;
    for (const YamlNode& item : listed ? node.items : std::vector<YamlNode>{node}) {
      const Choice chosen = read_choice<Choice>(item);
      if (std::find(values.begin(), values.end(), chosen) != values.end())
        throw ValueProblem{item.position, concat(describe(item), " is there twice")};
      values.push_back(chosen);
    }
    if (values.empty()) throw ValueProblem{node.position, "the list is empty"};
    return values;
  };
  return of_member(name, field, concat("one of, or a list of some of ", listed_words<Choice>()), meaning, read,
                   [](YAML::Emitter& out, const std::vector<Choice>& values) {
                     out << YAML::Flow;
                     write_list(out, values, write_choice<Choice>);
                   });
}

/// Returns the same as `choice`, where there may be none.
template <typename Record, typename Choice>
Key<Record> optional_choice(const std::string& name, Field<Record, std::optional<Choice>> field,
                            const std::string& meaning) {
  Key<Record> key = of_member(
      name, field, listed_words<Choice>(), meaning, [](const YamlNode& node) { return read_choice<Choice>(node); },
      [](YAML::Emitter& out, const std::optional<Choice>& value) { write_choice(out, *value); });
  key.is_set = [=](const Record& record) { return field.of(record).has_value(); };
  return key;
}

template <typename Record>
Key<Record> required(Key<Record> key) {
  key.required = true;
  return key;
}

/// Returns a key that has an effect only where `applies`; `goes_with` says where that is.
template <typename Record, typename Applies>
Key<Record> only_for(const std::string& goes_with, const Applies& applies, Key<Record> key) {
  key.applies = applies;
  key.goes_with = goes_with;
  return key;
}

/// Returns a key whose other values change no more than `effect_of` returns for a record.
template <typename Record, typename EffectOf>
Key<Record> affects_by(const EffectOf& effect_of, Key<Record> key) {
  GAUSSCSE_CHECK(key.copy != nullptr, key.name);
  key.effect = effect_of;
  return key;
}

/// Returns a key whose other values change no more than `effect`, in any record.
template <typename Record>
Key<Record> affects(Effect effect, Key<Record> key) {
  return affects_by([effect](const Record&) { return effect; }, std::move(key));
}

}  // namespace gausscse::key_kinds
