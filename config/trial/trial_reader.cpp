#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/problem_list.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/trial/overrides.hpp"
#include "config/trial/recipe_defaults.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_keys.hpp"
#include "config/trial/trial_map.hpp"
#include "config/trial/trial_rules.hpp"

namespace gausscse {

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
  reader(problems).read_all(root, trial);
  if (problems.empty()) check_trial_rules(trial, root, problems);
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
  const Trial trial = read_trial_map(root, base_folder, problems);
  problems.throw_if_any();
  return trial;
}

Trial read_trial(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const std::string yaml = read_whole_file(path, max_yaml_bytes);
  return parse_trial(yaml, path.string(), std::filesystem::absolute(path).parent_path(), overrides);
}

}  // namespace gausscse
