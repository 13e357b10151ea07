#pragma once

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/lists.hpp"
#include "config/schema/key_kinds.hpp"

namespace gausscse::key_kinds {

/// Returns `key`, that of the choice `field`, where the word `counted` has a number and is written as a map:
/// `{from_layer: 3}`. The number is kept in `number`, which is 0 with other words.
///
///     with_number(Which::from_layer, at(&Trial::layer), integer(0, 1000), at(&Trial::which), key("which", ...))
template <typename Record, typename Choice>
Key<Record> with_number(Choice counted, const Field<Record, std::int64_t>& number, const Codec<std::int64_t>& codec,
                        const Field<Record, Choice>& field, Key<Record> key) {
  const std::string word(name_of(counted));
  key.allowed = concat(joined(words_of<Choice>(counted)), ", or {", word, ": N}, N ", codec.allowed);
  key.read = [=](const YamlNode& node, const KeyContext& context, Record& record) {
    if (node.kind != YamlNode::Kind::map) {
      if (node.kind == YamlNode::Kind::scalar && node.text == word)
        throw ValueProblem{node.position, concat(describe(node), " has no number: write {", word, ": 0} or another")};
      field.get(record) = read_choice<Choice>(node);
      number.get(record) = 0;
      return;
    }
    if (node.entries.size() != 1 || node.entries.front().key != word)
      throw ValueProblem{node.position, concat("the map is not {", word, ": N}")};
    number.get(record) = codec.read(node.entries.front().value, context.base_folder);
    field.get(record) = counted;
  };
  key.write = [=, write = key.write](const Record& record, YAML::Emitter& out) {
    if (field.of(record) != counted) return write(record, out);
    out << YAML::Flow << YAML::BeginMap << YAML::Key << word << YAML::Value;
    codec.write(out, number.of(record));
    out << YAML::EndMap;
  };
  key.copy = [=](const Record& from, Record& to) {
    field.get(to) = field.of(from);
    number.get(to) = number.of(from);
  };
  return key;
}

}  // namespace gausscse::key_kinds
