#include "experiments/manifest/stage_map.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "config/schema/key_reader.hpp"
#include "experiments/manifest/axis_map.hpp"
#include "experiments/manifest/axis_values.hpp"
#include "experiments/manifest/stage_points.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

const Stage* find_in(const std::vector<Stage>& stages, std::string_view name) {
  for (const Stage& stage : stages)
    if (stage.name == name) return &stage;
  return nullptr;
}

/// Checks a choice. `earlier` are the stages before it, in the manifest's order, `all` the names of all.
void check_best_of(const BestOf& best_of, const std::vector<Axis>& grid, const std::vector<Stage>& earlier,
                   const std::vector<std::string>& all, const std::string& prefix, const KeyContext& context) {
  const auto add = [&](const std::string& problem) {
    context.problems.add(concat(to_string(best_of.position), ": ", prefix, "best_of", problem));
  };
  if (best_of.stage.empty()) return add(".stage is missing: name an earlier stage");
  const std::size_t dot = best_of.figure.find('.');
  if (dot == 0 || dot == std::string::npos || dot + 1 == best_of.figure.size())
    return add(".figure is missing, or not of the form TASK.METRIC, such as dev.auprc");
  const Stage* from = find_in(earlier, best_of.stage);
  if (!from) {
    const bool later = std::find(all.begin(), all.end(), best_of.stage) != all.end();
    return add(concat(".stage: ", quoted(best_of.stage),
                      later ? " does not stand before this stage, whose trials would wait for themselves: put it before"
                            : concat(" is no stage", nearest_name(best_of.stage, all))));
  }
  for (const std::string& axis : best_of.within) {
    if (!find_axis(grid, axis) || !find_axis(from->grid, axis))
      add(concat(".within: ", quoted(axis), " is no axis of ",
                 find_axis(grid, axis) ? concat("the stage ", from->name) : "this stage"));
  }
}

Stage read_stage(const YamlNode::Entry& entry, const std::vector<Axis>& named, const std::vector<Stage>& earlier,
                 const std::vector<std::string>& all, const KeyContext& context) {
  const std::string prefix = concat("stages.", entry.key, ".");
  Stage stage;
  stage.name = entry.key;
  stage.position = entry.position;
  StageDraft draft;
  KeyReader(stage_keys(), context, prefix).read_all(entry.value, draft);
  stage.seeds = draft.seeds;
  stage.grid = read_grid(draft.grid, named, prefix + "grid.", context);
  stage.points = read_points(draft, stage.grid, named, prefix, context);
  if (stage.points.empty() && context.problems.empty())
    context.problems.add(
        concat(to_string(entry.position), ": stages.", entry.key, " has no trial: all of its grid is excluded"));
  if (const YamlNode::Entry* best_of = find_entry(entry.value, "best_of")) {
    draft.best_of.position = best_of->position;
    // Axes that could not be read would be missing.
    if (context.problems.empty()) check_best_of(draft.best_of, stage.grid, earlier, all, prefix, context);
    stage.best_of = draft.best_of;
  }
  return stage;
}

}  // namespace

std::vector<Stage> read_stages(const ManifestDraft& draft, const KeyContext& context) {
  const auto add = [&](const YamlPosition& position, const std::string& problem) {
    context.problems.add(concat(to_string(position), ": ", problem));
  };
  const std::vector<Axis> named = read_named_axes(draft.axes, context);
  std::vector<std::string> all;
  for (const YamlNode::Entry& entry : draft.stages.entries) all.push_back(entry.key);
  if (all.empty()) add(draft.stages.position, "stages: the map is empty: give a stage, NAME: {grid: ..., seeds: [0]}");
  std::vector<Stage> stages;
  for (const YamlNode::Entry& entry : draft.stages.entries) {
    YamlNode::Entry read = entry;
    if (read.value.kind == YamlNode::Kind::null) read.value.kind = YamlNode::Kind::map;
    if (!is_test_name(entry.key))
      add(entry.position, concat("the name of a stage, ", quoted(entry.key),
                                 ", is not 1 to 64 letters, digits, dashes and underscores"));
    else if (read.value.kind != YamlNode::Kind::map)
      add(entry.value.position, concat("stages.", entry.key, " is not a map of keys: NAME: {grid: ..., seeds: [0]}"));
    else
      stages.push_back(read_stage(read, named, stages, all, context));
  }
  return stages;
}

std::vector<std::string> axes_of(const std::vector<Stage>& stages, const Stage& stage) {
  std::vector<std::string> axes = names_of(stage.grid);
  if (!stage.best_of) return axes;
  if (const Stage* from = find_in(stages, stage.best_of->stage))
    for (const std::string& axis : axes_of(stages, *from))
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  return axes;
}

}  // namespace gausscse
