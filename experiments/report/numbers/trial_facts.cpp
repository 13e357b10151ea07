#include "experiments/report/numbers/trial_facts.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/schema/yaml_document.hpp"
#include "results/run_result.hpp"

namespace gausscse {

namespace {

/// Returns a value on one line.
std::string inline_text(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      return node.text.empty() ? "\"\"" : node.text;
    case YamlNode::Kind::sequence:
      return "[" + joined(node.items, ", ", inline_text) + "]";
    case YamlNode::Kind::map:
      break;
  }
  return "{" +
         joined(node.entries, ", ", [](const auto& entry) { return entry.key + ": " + inline_text(entry.value); }) +
         "}";
}

void add_settings(const YamlNode& map, const std::string& before, Facts& facts) {
  for (const YamlNode::Entry& entry : map.entries) {
    const std::string name = before + entry.key;
    if (name == "output" || name == "format") continue;
    if (entry.value.kind == YamlNode::Kind::map && !entry.value.entries.empty()) {
      add_settings(entry.value, name + ".", facts);
    } else {
      facts.emplace_back(name, inline_text(entry.value));
    }
  }
}

/// Returns "3 x cpu, gpu": values of ranks, equal ones together.
std::string of_ranks(const std::vector<std::string>& values) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const std::string& value : values) {
    const auto known = std::find_if(counted.begin(), counted.end(), [&](const auto& c) { return c.first == value; });
    if (known == counted.end()) {
      counted.emplace_back(value, 1);
    } else {
      ++known->second;
    }
  }
  return joined(counted, ", ",
                [](const auto& each) { return each.second > 1 ? concat(each.second, " x ", each.first) : each.first; });
}

}  // namespace

Facts settings_of(const std::string& configuration) {
  try {
    const YamlNode document =
        parse_yaml_document(configuration, std::make_shared<const std::string>("the configuration"), false);
    Facts facts;
    if (document.kind == YamlNode::Kind::map) add_settings(document, "", facts);
    if (!facts.empty()) return facts;
  } catch (const InputError&) {
    // A result of any origin: its text is shown as it is.
  }
  return {{"configuration", configuration}};
}

Facts provenance_of(const Provenance& provenance) {
  Facts facts;
  for (const ProvenanceRow& row : provenance_rows(provenance)) facts.emplace_back(row.title, of_ranks(row.values));
  for (const auto& [name, hash] : provenance.data_hashes) facts.emplace_back("XXH3-128 of " + name, hash);
  return facts;
}

ComparedFacts compare_facts(const std::vector<Facts>& facts) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> known;
  std::size_t trials = 0;
  for (const Facts& of_trial : facts) {
    trials += !of_trial.empty();
    for (const auto& [name, value] : of_trial)
      if (known.try_emplace(name, names.size()).second) names.push_back(name);
  }
  // For each name its values, then the trials of each value.
  std::vector<std::vector<DifferingFact::Value>> values(names.size());
  std::vector<std::map<std::string, std::size_t>> known_values(names.size());
  std::vector<std::size_t> having(names.size(), 0);
  for (std::size_t trial = 0; trial < facts.size(); ++trial) {
    for (const auto& [name, value] : facts[trial]) {
      const std::size_t at = known.at(name);
      const auto [of_value, is_new] = known_values[at].try_emplace(value, values[at].size());
      if (is_new) values[at].push_back({value, false, {}});
      values[at][of_value->second].trials.push_back(trial);
      ++having[at];
    }
  }
  ComparedFacts compared;
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (values[at].size() == 1 && having[at] == trials) {
      compared.common.emplace_back(names[at], values[at].front().text);
      continue;
    }
    if (having[at] < trials) {
      DifferingFact::Value absent{"", true, {}};
      for (std::size_t trial = 0; trial < facts.size(); ++trial) {
        const bool has = std::any_of(facts[trial].begin(), facts[trial].end(),
                                     [&](const auto& fact) { return fact.first == names[at]; });
        if (!facts[trial].empty() && !has) absent.trials.push_back(trial);
      }
      values[at].push_back(std::move(absent));
    }
    compared.differing.push_back({names[at], std::move(values[at])});
  }
  return compared;
}

Facts own_facts(const ComparedFacts& compared, std::size_t trial) {
  Facts own;
  for (const DifferingFact& fact : compared.differing)
    for (const DifferingFact::Value& value : fact.values)
      if (!value.absent && std::binary_search(value.trials.begin(), value.trials.end(), trial))
        own.emplace_back(fact.name, value.text);
  return own;
}

}  // namespace gausscse
