#include "experiments/trial/trial_rules.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

namespace {

const YamlNode::Entry* find_entry(const YamlNode& map, std::string_view key) {
  const auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const YamlNode::Entry& candidate) { return candidate.key == key; });
  return entry == map.entries.end() ? nullptr : &*entry;
}

/// The place of "section.key", or of the nearest thing around it that was written.
std::string place(const YamlNode& root, std::string_view name) {
  const std::size_t dot = name.find('.');
  const YamlNode::Entry* entry = find_entry(root, name.substr(0, dot));
  if (!entry) return to_string(root.position);
  if (dot != std::string_view::npos) {
    if (const YamlNode::Entry* inner = find_entry(entry->value, name.substr(dot + 1))) entry = inner;
  }
  return to_string(entry->position);
}

void check_backbone(const Trial::Backbone& backbone, const YamlNode& root, ProblemList& problems) {
  using setting::Architecture;
  using setting::Init;
  const auto add = [&](const char* key, const auto&... text) {
    problems.add(concat(place(root, key), ": ", key, ": ", text...));
  };
  if (backbone.architecture == Architecture::none) {
    if (backbone.path.empty()) {
      problems.add(concat(place(root, "backbone"),
                          ": backbone is missing: add backbone: {path: <a model folder>}, or "
                          "backbone: {architecture: <a name>, init: random, tokenizer: <a folder>}"));
      return;
    }
    if (backbone.init != Init::weights) {
      add("backbone.init", "\"random\" goes with backbone.architecture only; backbone.path has weights of its own");
    }
    if (!backbone.tokenizer.empty()) {
      add("backbone.tokenizer", "goes with backbone.architecture only; the folder of backbone.path has its tokenizer");
    }
    return;
  }
  if (!backbone.path.empty()) {
    add("backbone.architecture", "cannot stand beside backbone.path, which has its own: remove one of the two");
    return;
  }
  if (backbone.init != Init::random) {
    add("backbone.architecture", "a name brings no weights: add init: random, or give backbone.path");
  }
  if (backbone.tokenizer.empty()) {
    add("backbone.tokenizer", "is missing: a name brings no tokenizer, give the folder of one");
  }
}

void check_data(const Trial::Data& data, const YamlNode& root, ProblemList& problems) {
  std::vector<std::filesystem::path> sorted = data.train;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    problems.add(concat(place(root, "data.train"), ": data.train: ", quoted(twice->string(), 200),
                        " is named twice: its pairs would count double, remove one"));
  }
}

/// A name is one of data.test, and under own_dev every test set has one.
void check_own_dev(const Trial& trial, const YamlNode& root, ProblemList& problems) {
  const auto named = [](const auto& sets, const std::string& name) {
    return std::any_of(sets.begin(), sets.end(), [&](const auto& set) { return set.first == name; });
  };
  std::vector<std::string> tests;
  for (const auto& [name, path] : trial.data.test) tests.push_back(name);
  for (const auto& [name, path] : trial.data.own_dev) {
    if (!named(trial.data.test, name))
      problems.add(concat(place(root, "data.own_dev"), ": data.own_dev: ", quoted(name), " is no set of data.test",
                          nearest_name(name, tests), "; its threshold would be used for nothing"));
  }
  if (trial.evaluation.threshold != setting::Threshold::own_dev) return;
  for (const std::string& name : tests) {
    if (!named(trial.data.own_dev, name))
      problems.add(concat(place(root, "evaluation.threshold"), ": evaluation.threshold: own_dev, but data.own_dev has ",
                          "no set for the test set ", quoted(name), ": add data.own_dev: {", name,
                          ": <its dev set>}, or choose snli_dev"));
  }
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// What a run writes must not be what it reads.
void check_output(const Trial& trial, const YamlNode& root, ProblemList& problems) {
  const std::filesystem::path model = trial.output / "model";
  const auto check = [&](const char* key, const std::filesystem::path& path) {
    if (!path.empty() && is_inside(path, model)) {
      problems.add(concat(place(root, key), ": ", key, ": ", quoted(path.string(), 200), " lies in ",
                          quoted(model.string(), 200), ", which this run writes: choose another output"));
    }
  };
  check("backbone.path", trial.backbone.path);
  check("backbone.tokenizer", trial.backbone.tokenizer);
  for (const std::filesystem::path& path : trial.data.train) check("data.train", path);
  check("data.dev", trial.data.dev);
  for (const auto& [name, path] : trial.data.test) check("data.test", path);
  for (const auto& [name, path] : trial.data.own_dev) check("data.own_dev", path);
}

}  // namespace

void check_trial_rules(const Trial& trial, const YamlNode& root, ProblemList& problems) {
  check_backbone(trial.backbone, root, problems);
  check_data(trial.data, root, problems);
  check_own_dev(trial, root, problems);
  check_output(trial, root, problems);
}

}  // namespace gausscse
