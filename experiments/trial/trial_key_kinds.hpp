#pragma once

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "experiments/trial/trial_key.hpp"
#include "experiments/trial/yaml_value.hpp"

namespace gausscse::key_kinds {

/// A member of the trial, or a member of one of its sections.
template <typename Value>
struct Field {
  std::function<Value&(Trial&)> get;

  Field(Value Trial::*member) : get([member](Trial& trial) -> Value& { return trial.*member; }) {}
  template <typename Section>
  Field(Section Trial::*section, Value Section::*member)
      : get([section, member](Trial& trial) -> Value& { return trial.*section.*member; }) {}

  const Value& of(const Trial& trial) const { return get(const_cast<Trial&>(trial)); }
};

/// Bounds of a number.
struct Range {
  double lowest;
  double highest = std::numeric_limits<double>::infinity();
  bool above_lowest = false;
  bool below_highest = false;

  bool holds(double value) const {
    return (above_lowest ? value > lowest : value >= lowest) && (below_highest ? value < highest : value <= highest);
  }
  /// "a number from 0 to 1".
  std::string text(const char* kind) const;
};

/// The shortest decimal form that reads back as the same double.
std::string shortest(double value);

/// `path` made absolute from `base_folder`. Throws ValueProblem for an empty or overlong one.
std::filesystem::path read_path(const YamlNode& node, const std::filesystem::path& base_folder);

TrialKey format_key(std::string meaning);
TrialKey integer(std::string name, Field<std::int64_t> field, std::int64_t lowest, std::int64_t highest,
                 std::string meaning);
TrialKey number(std::string name, Field<double> field, Range range, std::string meaning);
/// A number, or the word `otherwise` for nothing.
TrialKey number_or(std::string name, Field<std::optional<double>> field, Range range, std::string otherwise,
                   std::string meaning);
TrialKey boolean(std::string name, Field<bool> field, std::string meaning);
TrialKey path(std::string name, Field<std::filesystem::path> field, std::string meaning);
/// A path, or "" for none.
TrialKey optional_path(std::string name, Field<std::filesystem::path> field, std::string meaning);
/// One path or a list of them.
TrialKey paths(std::string name, Field<std::vector<std::filesystem::path>> field, std::string meaning);
/// Names with a path each.
TrialKey named_paths(std::string name, Field<std::vector<std::pair<std::string, std::filesystem::path>>> field,
                     std::string meaning);

TrialKey required(TrialKey key);

/// One of the words of `names<Choice>`.
template <typename Choice>
TrialKey choice(std::string name, Field<Choice> field, std::string meaning) {
  const auto read = [field](const YamlNode& node, const std::filesystem::path&, Trial& trial) {
    const std::string& text = read_text(node);
    const auto value = find_choice<Choice>(text);
    if (!value) {
      throw ValueProblem{node.position,
                         concat(describe(node), " is not known", nearest_name(text, words_of<Choice>()))};
    }
    field.get(trial) = *value;
  };
  return {.name = std::move(name),
          .allowed = listed_words<Choice>(),
          .meaning = std::move(meaning),
          .read = read,
          .is_set = [field](const Trial& trial) { return !name_of(field.of(trial)).empty(); },
          .write = [field](const Trial& trial, YAML::Emitter& out) { out << std::string(name_of(field.of(trial))); }};
}

}  // namespace gausscse::key_kinds
