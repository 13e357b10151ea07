#include "experiments/manifest/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/schema/yaml_node.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_identity.hpp"
#include "experiments/manifest/best_point.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "experiments/manifest/stage_tasks.hpp"
#include "model/hub/given_folder.hpp"
#include "model/hub/hub_model.hpp"

namespace gausscse {

std::string trial_identity(const Trial& trial, const std::vector<InputContent>& contents) {
  std::string text = identity_text(trial);
  for (const InputContent& content : contents) text += concat(content.role, ": ", content.hash, "\n");
  return content_hash_of(text);
}

ContentHash remembered_content_hash() {
  return [known = std::make_shared<std::map<std::filesystem::path, std::string>>()](const std::filesystem::path& file) {
    const auto found = known->find(file);
    if (found != known->end()) return found->second;
    return known->emplace(file, content_hash(file)).first->second;
  };
}

namespace {

YamlNode word(const std::string& text, const YamlPosition& position) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.position = position;
  node.text = text;
  return node;
}

/// Returns the first that a trial reads and that is not there.
std::optional<TrialInput> missing_input(const Trial& trial) {
  std::error_code ignored;
  for (const TrialInput& input : inputs_of(trial))
    if (!std::filesystem::exists(input.path, ignored)) return input;
  return std::nullopt;
}

class Planner {
 public:
  Planner(const Manifest& manifest, const EarlierTrials& earlier, const ContentHash& content_hash)
      : manifest_(manifest), earlier_(earlier), content_hash_(content_hash) {}

  std::vector<StudyPlanEntry> plan() {
    add_trials();
    check_inputs();
    problems_.throw_if_any();
    return std::move(entries_);
  }

  /// Returns the problems of trials and metrics, without a look at files; `of_part`: trials may lack keys.
  const ProblemList& problems(bool of_part) {
    looks_at_files_ = false;
    of_part_ = of_part;
    add_trials();
    return problems_;
  }

 private:
  void add_trials() {
    for (const Stage& stage : manifest_.stages) {
      if (stage.best_of) check_metric(stage);
      for (const std::vector<Axis::Value>& point : stage.points)
        for (const std::int64_t seed : stage.seeds) add(stage, point, seed);
    }
    check_tables();
  }

  const EarlierTrial* first_of_stage(const std::string& stage) const {
    const auto found = std::find_if(of_earlier_stages_.begin(), of_earlier_stages_.end(),
                                    [&](const EarlierTrial& trial) { return trial.planned.stage == stage; });
    return found == of_earlier_stages_.end() ? nullptr : &*found;
  }

  LabelsOnAxes labels_of(const Stage& stage, const std::vector<Axis::Value>& point) const {
    LabelsOnAxes labels;
    for (std::size_t axis = 0; axis < point.size(); ++axis)
      labels.emplace_back(stage.grid[axis].name, point[axis].label);
    return labels;
  }

  AxisSettings settings_of(const Stage& stage, const std::vector<Axis::Value>& point) const {
    AxisSettings settings;
    for (std::size_t axis = 0; axis < point.size(); ++axis)
      settings.emplace_back(stage.grid[axis].name, point[axis].settings);
    return settings;
  }

  void add(const Stage& stage, const std::vector<Axis::Value>& point, std::int64_t seed) {
    StudyPlanEntry entry;
    entry.planned.stage = stage.name;
    entry.planned.coordinates = labels_of(stage, point);
    entry.planned.seed = seed;
    AxisSettings settings;
    if (stage.best_of) {
      BestPoint best = choose_best(*stage.best_of, entry.planned.coordinates, of_earlier_stages_, earlier_);
      entry.planned.waits_for = best.waits_for;
      settings = std::move(best.settings);
      // Settings of any trial that can be chosen show whether the keys that the stage adds are right.
      if (const EarlierTrial* any = first_of_stage(stage.best_of->stage); any && !best.waits_for.empty())
        settings = any->settings;
      for (const auto& label : best.labels)
        if (!label_on(entry.planned, label.first)) entry.planned.coordinates.push_back(label);
    }
    // Over the chosen point: a stage may try other values of a key that an earlier one has settled.
    for (auto& of_axis : settings_of(stage, point)) settings.push_back(std::move(of_axis));
    const bool waits = !entry.planned.waits_for.empty();
    std::optional<Trial> trial = read(stage, settings, seed, waits || of_part_);
    if (trial && !waits && looks_at_files_) complete(stage, std::move(*trial), entry);
    of_earlier_stages_.push_back({entry.planned, std::move(settings)});
    entries_.push_back(std::move(entry));
  }

  /// Returns a trial, or nothing and adds its problems. `of_part`: some of its settings are not known, because an
  /// earlier stage is still to choose them or the manifest has problems.
  std::optional<Trial> read(const Stage& stage, const AxisSettings& settings, std::int64_t seed, bool of_part) {
    YamlNode root = manifest_.defaults;
    ProblemList problems(of_part);
    try {
      for (const auto& [axis, keys] : settings) merge_over(root, keys);
      if (!find_entry(root, "format"))
        set_value(root, "format", stage.position, word(std::string(trial_format), stage.position));
      set_value(root, "training.seed", stage.position, word(std::to_string(seed), stage.position));
      set_value(root, "output", stage.position, word("output", stage.position));
      Trial trial = read_trial_map(root, manifest_.base_folder, problems);
      tasks_of_stages_[stage.name].add(trial, !problems.empty() || (of_part && may_have_other_tasks(stage)));
      problems_.add(problems);
      if (problems.empty()) return trial;
    } catch (const InputError& error) {
      problems_.add(error.what());
    }
    return std::nullopt;
  }

  bool may_have_other_tasks(const Stage& stage) const {
    return stage.best_of || !stage.unread.empty() || manifest_.defaults.entries.empty();
  }

  void complete(const Stage& stage, Trial trial, StudyPlanEntry& entry) {
    try {
      if (const auto missing = missing_input(trial)) {
        entry.missing_input = missing->path;
        if (missing->role.starts_with("model.backbone")) entry.missing_advice = hub_advice(missing->path);
        entry.planned.waits_for = concat(missing->path.string(), ", which is not there");
        return;
      }
      entry.contents = contents_of_inputs(trial, content_hash_);
      entry.planned.identity = trial_identity(trial, entry.contents);
      entry.trial = std::move(trial);
      check_identity(stage, entry.planned);
    } catch (const InputError& error) {
      problems_.add(error.what());
    }
  }

  void check_identity(const Stage& stage, const PlannedTrial& trial) {
    const auto [first, is_new] = titles_.emplace(std::pair{stage.name, trial.identity}, title_of(trial));
    if (!is_new)
      problems_.add(concat(to_string(stage.position), ": the trials ", quoted(first->second, 200), " and ",
                           quoted(title_of(trial), 200),
                           " are one and the same: an axis sets nothing that changes a "
                           "result, remove it or a value of it"));
  }

  void check_metric(const Stage& stage) {
    for (const std::string& name : metrics_named(stage.best_of->metric))
      check_name(name, stage.best_of->stage, /*of_all=*/true, {},
                 concat(to_string(stage.best_of->position), ": stages.", stage.name, ".best_of.figure"));
  }

  void check_tables() {
    if (manifest_.stages.empty()) return;
    for (const TableSettings& table : manifest_.tables) {
      const std::string& stage = table.stage.empty() ? manifest_.stages.back().name : table.stage;
      const std::vector<std::string> columns = members_of(table.metrics, &TableMetric::metric);
      for (const std::string& column : columns)
        for (const std::string& name : metrics_named(column))
          check_name(std::string(without_backbone(name)), stage, /*of_all=*/false,
                     name == column ? columns : std::vector<std::string>(), concat("tables.", table.name, ".figures"));
    }
  }

  void check_name(const std::string& metric, const std::string& stage, bool of_all,
                  const std::vector<std::string>& listed, const std::string& what) {
    if (const std::string problem = tasks_of_stages_[stage].problem_of(metric, stage, of_all, listed); !problem.empty())
      problems_.add(concat(what, ": ", problem));
  }

  /// Checks the files. A study with something that can be trained goes on without the missing files; in another one the
  /// paths are wrong.
  void check_inputs() {
    std::map<std::filesystem::path, std::string> missing;
    for (const StudyPlanEntry& entry : entries_) {
      if (entry.trial) return;
      if (!entry.missing_input.empty()) missing.emplace(entry.missing_input, entry.missing_advice);
    }
    for (const auto& [path, advice] : missing)
      problems_.add(concat(path.string(),
                           ": there is no such file or folder, and each trial of the study reads this or "
                           "another that is missing: put it there, or name another in the manifest",
                           advice));
  }

  const Manifest& manifest_;
  const EarlierTrials& earlier_;
  const ContentHash& content_hash_;
  bool looks_at_files_ = true;
  bool of_part_ = false;
  ProblemList problems_;
  std::vector<StudyPlanEntry> entries_;
  std::vector<EarlierTrial> of_earlier_stages_;
  std::map<std::pair<std::string, std::string>, std::string> titles_;
  std::map<std::string, StageTasks> tasks_of_stages_;
};

}  // namespace

std::vector<StudyPlanEntry> plan_study(const Manifest& manifest, const EarlierTrials& earlier,
                                       const ContentHash& content_hash) {
  return Planner(manifest, earlier, content_hash).plan();
}

void add_problems_of_trials(const Manifest& manifest, bool of_part, ProblemList& problems) {
  const EarlierTrials none{[](const auto&...) { return std::nullopt; }, [](const PlannedTrial&) { return false; }};
  problems.add(Planner(manifest, none, remembered_content_hash()).problems(of_part));
}

}  // namespace gausscse
