#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/trial/trial.hpp"
#include "experiments/trial/yaml_node.hpp"

namespace YAML {
class Emitter;
}

namespace gausscse {

/// One key of the trial file: all that reading, printing, overriding and documenting it need.
struct TrialKey {
  /// Full name, such as "training.batch_size".
  std::string name;
  /// What may be given, for messages and the reference: "an integer from 1 to 100".
  std::string allowed;
  /// One line on what it means.
  std::string meaning;
  /// A trial without it is refused.
  bool required = false;
  /// Stores the node's value. Throws ValueProblem where it is of the wrong type or out of range. Relative paths start
  /// from `base_folder`.
  std::function<void(const YamlNode& node, const std::filesystem::path& base_folder, Trial& trial)> read;
  /// Whether the trial has a value to print.
  std::function<bool(const Trial& trial)> is_set = [](const Trial&) { return true; };
  std::function<void(const Trial& trial, YAML::Emitter& out)> write;

  /// "training" of "training.batch_size"; empty for a key of the top level.
  std::string section() const;
  /// "batch_size" of "training.batch_size".
  std::string word() const;
};

/// Every key of the trial file, in the order in which it is printed. Keys of a section are neighbours.
const std::vector<TrialKey>& trial_keys();

/// Whether `name` is a key of the top level that holds keys of its own.
bool is_trial_section(std::string_view name);

}  // namespace gausscse
