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
/// Writes a path in quotes always: an unquoted 3 or ~ would be no text.
void write_path(YAML::Emitter& out, const std::filesystem::path& path);

template <typename Record>
Key<Record> integer(const std::string& name, Field<Record, std::int64_t> field, std::int64_t lowest,
                    std::int64_t highest, const std::string& meaning) {
  return {.name = name,
          .allowed = concat("an integer from ", lowest, " to ", highest),
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext&,
                      Record& record) { field.get(record) = read_integer_in(node, lowest, highest); },
          .write = [=](const Record& record, YAML::Emitter& out) { out << std::to_string(field.of(record)); },
          .copy = copy_of(field)};
}

/// Returns a value that `read` takes from a node and `text` prints, or the word `otherwise` for nothing. `allowed` says
/// in words what values there are.
template <typename Record, typename Value, typename Read, typename Text>
Key<Record> optional_of(const std::string& name, Field<Record, std::optional<Value>> field,
                        const std::string& otherwise, const std::string& allowed, const std::string& meaning, Read read,
                        Text text) {
  return {.name = name,
          .allowed = concat(otherwise, ", or ", allowed),
          .meaning = meaning,
          .read =
              [=](const YamlNode& node, const KeyContext&, Record& record) {
                if (node.kind == YamlNode::Kind::scalar && node.text == otherwise)
                  field.get(record).reset();
                else
                  field.get(record) = read(node);
              },
          .write =
              [=](const Record& record, YAML::Emitter& out) {
                const std::optional<Value>& value = field.of(record);
                out << (value ? text(*value) : otherwise);
              },
          .copy = copy_of(field)};
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
  return {.name = name,
          .allowed = range.text("a number"),
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext&,
                      Record& record) { field.get(record) = read_number_in(node, range); },
          .write = [=](const Record& record, YAML::Emitter& out) { out << shortest(field.of(record)); },
          .copy = copy_of(field)};
}

/// Returns a number, or the word `otherwise` for nothing.
template <typename Record>
Key<Record> number_or(const std::string& name, Field<Record, std::optional<double>> field, Range range,
                      const std::string& otherwise, const std::string& meaning) {
  return optional_of(
      name, field, otherwise, range.text("a number"), meaning,
      [=](const YamlNode& node) { return read_number_in(node, range); }, [](double value) { return shortest(value); });
}

template <typename Record>
Key<Record> boolean(const std::string& name, Field<Record, bool> field, const std::string& meaning) {
  return {.name = name,
          .allowed = "true or false",
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext&, Record& record) { field.get(record) = read_bool(node); },
          .write = [=](const Record& record, YAML::Emitter& out) { out << field.of(record); },
          .copy = copy_of(field)};
}

/// Returns any text; an empty one is none.
template <typename Record>
Key<Record> text(const std::string& name, Field<Record, std::string> field, const std::string& allowed,
                 const std::string& meaning) {
  return {.name = name,
          .allowed = allowed,
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext&, Record& record) { field.get(record) = read_text(node); },
          .is_set = [=](const Record& record) { return !field.of(record).empty(); },
          .write = [=](const Record& record, YAML::Emitter& out) { out << YAML::DoubleQuoted << field.of(record); },
          .copy = copy_of(field)};
}

/// Returns one text or a list of them; an empty list is none.
template <typename Record>
Key<Record> texts(const std::string& name, Field<Record, std::vector<std::string>> field, const std::string& allowed,
                  const std::string& meaning) {
  return {
      .name = name,
      .allowed = allowed,
      .meaning = meaning,
      .read = [=](const YamlNode& node, const KeyContext&, Record& record) { field.get(record) = read_texts(node); },
      .is_set = [=](const Record& record) { return !field.of(record).empty(); },
      .write =
          [=](const Record& record, YAML::Emitter& out) {
            out << YAML::Flow << YAML::BeginSeq;
            for (const std::string& each : field.of(record)) out << YAML::DoubleQuoted << each;
            out << YAML::EndSeq;
          },
      .copy = copy_of(field)};
}

template <typename Record>
Key<Record> path(const std::string& name, Field<Record, std::filesystem::path> field, const std::string& meaning) {
  return {.name = name,
          .allowed = "a path",
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext& context,
                      Record& record) { field.get(record) = read_path(node, context.base_folder); },
          .is_set = [=](const Record& record) { return !field.of(record).empty(); },
          .write = [=](const Record& record, YAML::Emitter& out) { write_path(out, field.of(record)); },
          .copy = copy_of(field)};
}

/// Returns a path, or "" for none.
template <typename Record>
Key<Record> optional_path(const std::string& name, Field<Record, std::filesystem::path> field,
                          const std::string& meaning) {
  Key<Record> key = path(name, field, meaning);
  key.allowed = "a path, or \"\"";
  key.is_set = [](const Record&) { return true; };
  key.read = [=](const YamlNode& node, const KeyContext& context, Record& record) {
    field.get(record) = read_text(node).empty() ? std::filesystem::path() : read_path(node, context.base_folder);
  };
  return key;
}

/// Returns one path or a list of them.
template <typename Record>
Key<Record> paths(const std::string& name, Field<Record, std::vector<std::filesystem::path>> field,
                  const std::string& meaning) {
  return {.name = name,
          .allowed = "a path or a list of paths",
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext& context,
                      Record& record) { field.get(record) = read_paths(node, context.base_folder); },
          .write =
              [=](const Record& record, YAML::Emitter& out) {
                out << YAML::BeginSeq;
                for (const std::filesystem::path& each : field.of(record)) write_path(out, each);
                out << YAML::EndSeq;
              },
          .copy = copy_of(field)};
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

template <typename Record, typename Choice>
Key<Record> choice(const std::string& name, Field<Record, Choice> field, const std::string& meaning,
                   std::optional<Choice> without = std::nullopt) {
  return {.name = name,
          .allowed = listed_words<Choice>(without),
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext&,
                      Record& record) { field.get(record) = read_choice<Choice>(node, without); },
          .is_set = [=](const Record& record) { return !name_of(field.of(record)).empty(); },
          .write = [=](const Record& record, YAML::Emitter& out) { out << std::string(name_of(field.of(record))); },
          .copy = copy_of(field)};
}

/// Returns one or several of them, each once.
template <typename Record, typename Choice>
Key<Record> choices(const std::string& name, Field<Record, std::vector<Choice>> field, const std::string& meaning) {
  return {.name = name,
          .allowed = concat("one of, or a list of some of ", listed_words<Choice>()),
          .meaning = meaning,
          .read =
              [=](const YamlNode& node, const KeyContext&, Record& record) {
                const bool listed = node.kind == YamlNode::Kind::sequence;
                std::vector<Choice> read;
                for (const YamlNode& item : listed ? node.items : std::vector<YamlNode>{node}) {
                  const Choice chosen = read_choice<Choice>(item);
                  if (std::find(read.begin(), read.end(), chosen) != read.end())
                    throw ValueProblem{item.position, concat(describe(item), " is there twice")};
                  read.push_back(chosen);
                }
                if (read.empty()) throw ValueProblem{node.position, "the list is empty"};
                field.get(record) = std::move(read);
              },
          .write =
              [=](const Record& record, YAML::Emitter& out) {
                out << YAML::Flow << YAML::BeginSeq;
                for (const Choice each : field.of(record)) out << std::string(name_of(each));
                out << YAML::EndSeq;
              },
          .copy = copy_of(field)};
}

/// Returns the same as `choice`, where there may be none.
template <typename Record, typename Choice>
Key<Record> optional_choice(const std::string& name, Field<Record, std::optional<Choice>> field,
                            const std::string& meaning) {
  return {.name = name,
          .allowed = listed_words<Choice>(),
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext&,
                      Record& record) { field.get(record) = read_choice<Choice>(node); },
          .is_set = [=](const Record& record) { return field.of(record).has_value(); },
          .write = [=](const Record& record, YAML::Emitter& out) { out << std::string(name_of(*field.of(record))); },
          .copy = copy_of(field)};
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
