#include <algorithm>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/trial/overrides.hpp"
#include "experiments/trial/problem_list.hpp"
#include "experiments/trial/recipe_defaults.hpp"
#include "experiments/trial/trial.hpp"
#include "experiments/trial/trial_key.hpp"
#include "experiments/trial/trial_rules.hpp"
#include "experiments/trial/yaml_document.hpp"
#include "experiments/trial/yaml_value.hpp"

namespace gausscse {

namespace {

class Reader {
 public:
  Reader(const std::filesystem::path& base_folder, ProblemList& problems)
      : base_folder_(base_folder), problems_(problems) {}

  /// Reads one key of the top level alone, if it is there.
  void read_alone(const YamlNode& root, std::string_view name, Trial& trial) {
    for (const YamlNode::Entry& entry : root.entries) {
      if (entry.key == name) read_entry(entry, entry.key, trial);
    }
  }

  void read_all(const YamlNode& root, Trial& trial) {
    for (const YamlNode::Entry& entry : root.entries) {
      if (is_trial_section(entry.key)) {
        read_section(entry, trial);
      } else {
        read_entry(entry, entry.key, trial);
      }
    }
    for (const TrialKey& key : trial_keys()) {
      if (key.required && !seen_.contains(key.name)) {
        problems_.add(
            concat(to_string(root.position), ": ", key.name, " is missing: add it (", key.allowed, "): ", key.meaning));
      }
    }
  }

 private:
  static const TrialKey* find_key(std::string_view name) {
    for (const TrialKey& key : trial_keys()) {
      if (key.name == name) return &key;
    }
    return nullptr;
  }

  void read_section(const YamlNode::Entry& section, Trial& trial) {
    if (section.value.kind == YamlNode::Kind::null) return;
    if (section.value.kind != YamlNode::Kind::map) {
      problems_.add(concat(to_string(section.value.position), ": ", section.key, ": ", describe(section.value),
                           " is not a map of keys; allowed: ", words_of(section.key)));
      return;
    }
    for (const YamlNode::Entry& entry : section.value.entries) {
      read_entry(entry, section.key + "." + entry.key, trial);
    }
  }

  void read_entry(const YamlNode::Entry& entry, const std::string& name, Trial& trial) {
    const TrialKey* key = find_key(name);
    if (!key || name != (key->section().empty() ? "" : key->section() + ".") + entry.key) {
      problems_.add(
          concat(to_string(entry.position), ": the key ", quoted(name), " is not known", suggestion(entry.key, name)));
      return;
    }
    seen_.insert(name);
    try {
      key->read(entry.value, base_folder_, trial);
    } catch (const ValueProblem& problem) {
      problems_.add(
          concat(to_string(problem.position), ": ", name, ": ", problem.problem, " (allowed: ", key->allowed, ")"));
    }
  }

  /// The nearest name beside it, else where a key of that word stands, else what is allowed there.
  static std::string suggestion(const std::string& word, const std::string& name) {
    const std::string section = name.substr(0, name.size() - std::min(name.size(), word.size() + 1));
    std::vector<std::string> beside;
    for (const TrialKey& key : trial_keys()) {
      if (key.section() == section) beside.push_back(key.name);
      if (section.empty() && !key.section().empty()) beside.push_back(key.section());
    }
    if (std::string nearest = nearest_name(name, beside); !nearest.empty()) return nearest;
    for (const TrialKey& key : trial_keys()) {
      if (key.word() == word || key.name == word) {
        return concat(", did you mean \"", key.name, "\" (", key.word(), " in the section ", key.section(), ")?");
      }
    }
    return concat("; known here: ", words_of(section));
  }

  static std::string words_of(const std::string& section) {
    std::vector<std::string> words;
    for (const TrialKey& key : trial_keys()) {
      const std::string word = key.section() == section ? key.word() : section.empty() ? key.section() : "";
      if (!word.empty() && (words.empty() || words.back() != word)) words.push_back(word);
    }
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  const std::filesystem::path& base_folder_;
  ProblemList& problems_;
  std::set<std::string> seen_;
};

}  // namespace

Trial parse_trial(std::string_view yaml, std::string_view source, const std::filesystem::path& base_folder,
                  const std::vector<std::string>& overrides) {
  YamlNode root = parse_yaml_document(yaml, std::make_shared<const std::string>(source));
  if (root.kind != YamlNode::Kind::map) {
    throw InputError(concat(source, ": holds ", describe(root),
                            ", not a map of keys: begin with format: ", trial_keys().front().allowed));
  }
  ProblemList problems;
  apply_overrides(overrides, root, problems);
  const std::filesystem::path absolute_folder = std::filesystem::absolute(base_folder);
  Trial trial;
  ProblemList of_recipe;  // they come up again with the other keys
  Reader(absolute_folder, of_recipe).read_alone(root, "recipe", trial);
  trial = recipe_defaults(trial.recipe);
  // Other keys are no mistakes until the format is known to be this one.
  ProblemList of_format;
  Reader(absolute_folder, of_format).read_alone(root, "format", trial);
  of_format.throw_if_any();
  Reader reader(absolute_folder, problems);
  reader.read_all(root, trial);
  if (problems.empty()) check_trial_rules(trial, root, problems);
  problems.throw_if_any();
  return trial;
}

Trial read_trial(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const std::string yaml = read_whole_file(path, max_yaml_bytes);
  return parse_trial(yaml, path.string(), std::filesystem::absolute(path).parent_path(), overrides);
}

}  // namespace gausscse
