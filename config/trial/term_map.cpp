#include "config/trial/term_map.hpp"

#include "base/error.hpp"
#include "config/schema/key_kinds.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/key_writer.hpp"
#include "config/trial/trial_keys.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

void read_term(const YamlNode::Entry& entry, const KeyContext& context, std::vector<ObjectiveTerm>& terms) {
  const auto add = [&](const YamlPosition& position, const std::string& problem) {
    context.problems.add(concat(to_string(position), ": ", problem));
  };
  const std::string name = concat("objective.terms.", entry.key);
  const std::string known = listed_words<ObjectiveKind>(ObjectiveKind::sum);
  if (!is_test_name(entry.key))
    return add(entry.position, concat("the name of a term, ", quoted(entry.key), ", is not ", test_name_rule));
  if (entry.value.kind != YamlNode::Kind::map)
    return add(entry.value.position, concat(name, ": ", describe(entry.value),
                                            " is not a map of keys: NAME: {kind: pair_classification, weight: 0.5}"));
  const YamlNode::Entry* kind = find_entry(entry.value, "kind");
  if (!kind) return add(entry.position, concat(name, ".kind is missing: add it (", known, ")"));
  try {
    const auto chosen = key_kinds::read_choice<ObjectiveKind>(kind->value);
    if (chosen == ObjectiveKind::sum)
      throw ValueProblem{kind->value.position, "a sum cannot contain a sum: add its terms to the outer sum"};
    terms.push_back(default_term(chosen));
    terms.back().name = entry.key;
    KeyReader(objective_term_keys(), context, name + ".").read_all(entry.value, terms.back());
  } catch (const ValueProblem& problem) {
    add(problem.position, concat(name, ".kind: ", problem.problem, " (allowed: ", known, ")"));
  }
}

}  // namespace

ObjectiveTerm default_term(ObjectiveKind kind) {
  ObjectiveTerm term;
  term.objective.kind = kind;
  if (kind == ObjectiveKind::supervised_contrastive) term.objective.temperature = 1;
  return term;
}

std::vector<ObjectiveTerm> read_term_map(const YamlNode& node, const KeyContext& context) {
  constexpr const char* form = "NAME: {kind: pair_classification, weight: 0.5}";
  if (node.kind != YamlNode::Kind::map)
    throw ValueProblem{node.position, concat(describe(node), " is not a map from names to terms: ", form)};
  if (node.entries.empty()) throw ValueProblem{node.position, concat("the map is empty: give a term, ", form)};
  std::vector<ObjectiveTerm> terms;
  for (const YamlNode::Entry& entry : node.entries) read_term(entry, context, terms);
  return terms;
}

void write_term_map(const std::vector<ObjectiveTerm>& terms, YAML::Emitter& out) {
  out << YAML::BeginMap;
  for (const ObjectiveTerm& term : terms) {
    out << YAML::Key << term.name << YAML::Value;
    write_keys(objective_term_keys(), term, out);
  }
  out << YAML::EndMap;
}

}  // namespace gausscse
