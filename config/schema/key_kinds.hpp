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

/// Makers of keys. A `Codec` has the kind of a key's values; `key` joins it with a name, a member and a meaning. Values
/// whose type gives their kind need no codec:
///
///     key("training.epochs", at(&Trial::training, &Training::epochs), integer(1, many), "Passes over the examples.")
///     key("data.trim", at(&Trial::data, &Data::trim), "Whether white space at the ends of sentences is removed.")
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

/// The limit of numbers that have none by nature, such as steps.
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

/// A kind of values: those that are allowed, how one is read and printed, and whether there is one to print.
template <typename Value>
struct Codec {
  std::string allowed;
  /// Throws ValueProblem where the node holds no such value. Relative paths start from the folder.
  std::function<Value(const YamlNode& node, const std::filesystem::path& base_folder)> read;
  std::function<void(YAML::Emitter& out, const Value& value)> write;
  std::function<bool(const Value& value)> is_set = [](const Value&) { return true; };
};

Codec<std::int64_t> integer(std::int64_t lowest, std::int64_t highest);
Codec<double> number(const Range& range);
Codec<bool> boolean();
/// Returns any text, or a list of them, one of which may stand alone; an empty text or list is none.
Codec<std::string> text(const std::string& allowed);
Codec<std::vector<std::string>> texts(const std::string& allowed);
/// Returns any text, also an empty one, or nothing.
Codec<std::optional<std::string>> text_if_any(const std::string& allowed);
/// Returns a path; an empty one is none. Printed in quotes always, like texts: an unquoted 3 or ~ would be no text.
Codec<std::filesystem::path> path();
/// Returns a path, or "" for none.
Codec<std::filesystem::path> optional_path();
/// Returns a list of paths, one of which may stand alone.
Codec<std::vector<std::filesystem::path>> paths();
/// Returns `path`, or of a folder its shards of a data set of the Hugging Face hub. These are the files `NAME*.parquet`
/// in it, or in its folder data, in the order of their names. Nothing of a folder without such files.
std::vector<std::filesystem::path> file_or_shards(const std::filesystem::path& path, const std::string& name);
/// Returns the problem of a folder whose files, `found` there by `file_or_shards`, count others by their names; empty:
/// none, or `path` is a file.
std::string missing_shards_of_folder(const std::filesystem::path& path,
                                     const std::vector<std::filesystem::path>& found);
/// Returns the codec of a list of paths, where a folder means its shards, see `file_or_shards`.
Codec<std::vector<std::filesystem::path>> paths_or_shards(const std::string& name);
/// Returns one path, alone or as a list of one, for the key `files` of tasks; `what` names the kind of file that lies
/// there.
Codec<std::filesystem::path> one_path(const std::string& what);

/// Throws ValueProblem unless the node holds an integer within bounds.
std::int64_t read_integer_in(const YamlNode& node, std::int64_t lowest, std::int64_t highest);

/// Returns the values of `codec`, or the word `otherwise` for nothing.
template <typename Value>
Codec<std::optional<Value>> or_word(const std::string& otherwise, const Codec<Value>& codec) {
  return {.allowed = concat(otherwise, ", or ", codec.allowed),
          .read =
              [=](const YamlNode& node, const std::filesystem::path& base_folder) {
                const bool is_none = node.kind == YamlNode::Kind::scalar && node.text == otherwise;
                return is_none ? std::nullopt : std::optional<Value>(codec.read(node, base_folder));
              },
          .write =
              [=](YAML::Emitter& out, const std::optional<Value>& value) {
                if (value)
                  codec.write(out, *value);
                else
                  out << otherwise;
              }};
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

template <typename Choice>
Codec<Choice> choice(std::optional<Choice> without = std::nullopt) {
  return {.allowed = listed_words<Choice>(without),
          .read = [=](const YamlNode& node, const auto&) { return read_choice<Choice>(node, without); },
          .write = [](YAML::Emitter& out, Choice choice) { out << std::string(name_of(choice)); },
          .is_set = [](Choice choice) { return !name_of(choice).empty(); }};
}

/// Returns the codec of a choice that may be left out.
template <typename Choice>
Codec<std::optional<Choice>> choice_or_none() {
  return {.allowed = listed_words<Choice>(),
          .read = [](const YamlNode& node, const auto&) { return read_choice<Choice>(node); },
          .write = [](YAML::Emitter& out, const std::optional<Choice>& value) { choice<Choice>().write(out, *value); },
          .is_set = [](const std::optional<Choice>& value) { return value.has_value(); }};
}

/// Returns one or several choices, each once.
template <typename Choice>
Codec<std::vector<Choice>> choices() {
  const auto read = [](const YamlNode& node, const auto&) {
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
  const auto write = [](YAML::Emitter& out, const std::vector<Choice>& values) {
    out << YAML::Flow << YAML::BeginSeq;
    for (const Choice value : values) choice<Choice>().write(out, value);
    out << YAML::EndSeq;
  };
  return {.allowed = concat("one of, or a list of some of ", listed_words<Choice>()), .read = read, .write = write};
}

/// Returns the kind of values of a type that has only one.
template <typename Value>
Codec<Value> usual_codec() {
  if constexpr (std::is_same_v<Value, bool>)
    return boolean();
  else if constexpr (std::is_same_v<Value, std::filesystem::path>)
    return path();
  else if constexpr (std::is_same_v<Value, std::vector<std::filesystem::path>>)
    return paths();
  else if constexpr (std::is_enum_v<Value>)
    return choice<Value>();
  else if constexpr (std::is_same_v<Value, std::optional<typename Value::value_type>>)
    return choice_or_none<typename Value::value_type>();
  else
    return choices<typename Value::value_type>();
}

/// Returns the key of a member.
template <typename Record, typename Value>
Key<Record> key(const std::string& name, const Field<Record, Value>& field, const Codec<Value>& codec,
                const std::string& meaning) {
  return {.name = name,
          .allowed = codec.allowed,
          .meaning = meaning,
          .read = [=](const YamlNode& node, const KeyContext& context,
                      Record& record) { field.get(record) = codec.read(node, context.base_folder); },
          .is_set = [=](const Record& record) { return codec.is_set(field.of(record)); },
          .write = [=](const Record& record, YAML::Emitter& out) { codec.write(out, field.of(record)); },
          .copy = [=](const Record& from, Record& to) { field.get(to) = field.of(from); }};
}
template <typename Record, typename Value>
Key<Record> key(const std::string& name, const Field<Record, Value>& field, const std::string& meaning) {
  return key(name, field, usual_codec<Value>(), meaning);
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

/// Returns a key of which a run that continues an earlier one may have another value.
template <typename Record>
Key<Record> changeable(Key<Record> key) {
  key.may_change = true;
  return key;
}

}  // namespace gausscse::key_kinds
