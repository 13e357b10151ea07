#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/trial/trial_identity.hpp"
#include "experiments/compare/comparison.hpp"
#include "results/run_result.hpp"

namespace gausscse {

namespace {

/// Names and values, in order.
using Settings = std::vector<std::pair<std::string, std::string>>;

std::string text_of_value(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::sequence) return node.text;
  return "[" + joined(node.items, ", ", text_of_value) + "]";
}

void add_settings(const std::string& name, const YamlNode& node, Settings& settings) {
  if (node.kind != YamlNode::Kind::map) {
    settings.emplace_back(name, text_of_value(node));
    return;
  }
  for (const YamlNode::Entry& entry : node.entries)
    add_settings(name.empty() ? entry.key : name + "." + entry.key, entry.value, settings);
}

Settings configuration_of(const ComparedTrial& trial, bool canonical) {
  const std::string yaml = canonical ? to_yaml(canonical_trial(*trial.trial)) : trial.configuration;
  Settings settings;
  add_settings("", parse_yaml_document(yaml, std::make_shared<const std::string>(trial.title)), settings);
  return settings;
}

/// Returns "a, b": each once, by name.
std::string each_once(const std::vector<std::string>& of_ranks) {
  return joined(std::set<std::string>(of_ranks.begin(), of_ranks.end()));
}

/// Beginning of the names of a backbone's files and keys.
constexpr std::string_view backbone_begin = "model.backbone";

const std::string* find_value(const Settings& settings, const std::string& name) {
  for (const auto& [other, value] : settings)
    if (other == name) return &value;
  return nullptr;
}

Settings provenance_of(const ComparedTrial& trial) {
  Settings settings;
  for (const ProvenanceRow& row : provenance_rows(trial.provenance))
    settings.emplace_back(row.name, each_once(row.values));
  for (const auto& [file, hash] : trial.provenance.data_hashes)
    settings.emplace_back(trial.trial ? role_of_file(*trial.trial, file) : file, hash);
  // The weights that training began with also depend on its seed; those of the backbone's file do not.
  for (const auto& [role, hash] : trial.provenance.input_hashes)
    if (role.starts_with(backbone_begin) && !find_value(settings, role)) settings.emplace_back(role, hash);
  return settings;
}

std::vector<std::string> values_of(const std::vector<Settings>& trials, const std::string& name) {
  std::vector<std::string> values;
  for (const Settings& settings : trials)
    if (const std::string* value = find_value(settings, name)) add_once(values, *value);
  return values;
}

std::vector<SettingDifference> differences(const std::vector<Settings>& a, const std::vector<Settings>& b) {
  std::vector<std::string> all_names;
  for (const std::vector<Settings>* group : {&a, &b})
    for (const Settings& settings : *group)
      for (const auto& [name, value] : settings) add_once(all_names, name);
  std::vector<SettingDifference> found;
  for (const std::string& name : all_names) {
    SettingDifference difference{name, values_of(a, name), values_of(b, name)};
    const std::set<std::string> in_a(difference.a.begin(), difference.a.end());
    if (in_a != std::set<std::string>(difference.b.begin(), difference.b.end())) found.push_back(std::move(difference));
  }
  return found;
}

std::vector<SettingDifference> differences(const ComparedGroup& a, const ComparedGroup& b,
                                           const std::function<Settings(const ComparedTrial&)>& settings_of) {
  std::vector<Settings> of_a, of_b;
  for (const ComparedTrial& trial : a.trials) of_a.push_back(settings_of(trial));
  for (const ComparedTrial& trial : b.trials) of_b.push_back(settings_of(trial));
  return differences(of_a, of_b);
}

}  // namespace

std::vector<SettingDifference> configuration_differences(const ComparedGroup& a, const ComparedGroup& b) {
  const auto is_read = [](const ComparedTrial& trial) { return trial.trial.has_value(); };
  const bool canonical =
      std::all_of(a.trials.begin(), a.trials.end(), is_read) && std::all_of(b.trials.begin(), b.trials.end(), is_read);
  return differences(a, b, [&](const ComparedTrial& trial) { return configuration_of(trial, canonical); });
}

bool Comparison::has_different_backbones() const {
  const auto is_of_backbone = [](const SettingDifference& each) {
    return each.name.starts_with(backbone_begin) && !each.a.empty() && !each.b.empty();
  };
  return std::any_of(configuration.begin(), configuration.end(), is_of_backbone) ||
         std::any_of(provenance.begin(), provenance.end(), is_of_backbone);
}

std::vector<SettingDifference> provenance_differences(const ComparedGroup& a, const ComparedGroup& b) {
  return differences(a, b, provenance_of);
}

}  // namespace gausscse
