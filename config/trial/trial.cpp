#include "config/trial/trial.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/user_paths.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/key_writer.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/schema/yaml_node.hpp"
#include "config/trial/label_map.hpp"
#include "config/trial/recipe_defaults.hpp"
#include "config/trial/trial_keys.hpp"
#include "config/trial/trial_rules.hpp"

namespace gausscse {

namespace {

void apply(const std::string& override_text, YamlNode& root) {
  const auto source = std::make_shared<const std::string>("--set " + quoted(override_text, 200));
  const YamlPosition position{source, 0, 0};
  const std::size_t equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(concat(*source, ": is not of the form key=value, such as training.epochs=3"));
  }
  const std::string_view name = std::string_view(override_text).substr(0, equals);
  const Keys<Trial>& keys = trial_keys();
  // Replacing a section would silently drop the file's other keys in it.
  if (is_section(keys, name) || std::any_of(keys.begin(), keys.end(), [&](const Key<Trial>& key) {
        return key.holds_names && key.name == name;
      })) {
    throw InputError(concat(*source, ": ", quoted(name), " is a section: set its keys one by one"));
  }
  YamlNode value = parse_yaml_document(std::string_view(override_text).substr(equals + 1), source, false);
  value.position = position;
  set_value(root, name, position, std::move(value));
}

}  // namespace

Trial read_trial_map(const YamlNode& root, const std::filesystem::path& base_folder, ProblemList& problems) {
  const std::filesystem::path absolute_folder = std::filesystem::absolute(base_folder);
  const auto reader = [&](ProblemList& list) { return KeyReader(trial_keys(), KeyContext{absolute_folder, list}); };
  Trial trial;
  ProblemList of_recipe;  // they come up again with the other keys
  reader(of_recipe).read_alone(root, "recipe", trial);
  trial = recipe_defaults(trial.recipe);
  // Other keys are no mistakes until the format is known to be this one.
  ProblemList of_format;
  reader(of_format).read_alone(root, "format", trial);
  of_format.throw_if_any();
  YamlNode document = root;
  for (YamlNode::Entry& section : document.entries)
    if (section.key == "data") section.value = with_labels_by_name(section.value, section.key, problems);
  reader(problems).read_all(document, trial);
  if (problems.empty() && !problems.of_part()) check_trial_rules(trial, document, problems);
  return trial;
}

Trial parse_trial(std::string_view yaml, std::string_view source, const std::filesystem::path& base_folder,
                  const std::vector<std::string>& overrides) {
  YamlNode root = parse_yaml_document(yaml, std::make_shared<const std::string>(source));
  if (root.kind != YamlNode::Kind::map) {
    throw InputError(concat(source, ": holds ", describe(root),
                            ", not a map of keys: begin with format: ", trial_keys().front().allowed));
  }
  ProblemList problems;
  apply_overrides(overrides, root, problems);
  Trial trial = read_trial_map(root, base_folder, problems);
  problems.throw_if_any();
  return trial;
}

Trial read_trial(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const std::string yaml = read_whole_file(path, max_yaml_bytes);
  return parse_trial(yaml, path.string(), std::filesystem::absolute(path).parent_path(), overrides);
}

std::string to_yaml(const Trial& trial) {
  YAML::Emitter out;
  write_keys(trial_keys(), trial, out);
  out << YAML::Newline;
  GAUSSCSE_CHECK(out.good(), out.GetLastError());
  return out.c_str();
}

setting::Device device_of(const Trial& trial) {
  const bool on_cpus_alone =
      trial.reproducibility == setting::Reproducibility::rank_invariant || trial.training.precision == Precision::int8;
  return on_cpus_alone && trial.device == setting::Device::automatic ? setting::Device::cpu : trial.device;
}

std::filesystem::path token_cache_folder(const Trial::Data& data) {
  return data.cache.empty() ? user_cache_folder("tokens") : data.cache;
}

void apply_overrides(const std::vector<std::string>& overrides, YamlNode& root, ProblemList& problems) {
  for (const std::string& override_text : overrides) {
    try {
      apply(override_text, root);
    } catch (const InputError& error) {
      problems.add(error.what());
    }
  }
}

}  // namespace gausscse
