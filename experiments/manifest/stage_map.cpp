#include "experiments/manifest/stage_map.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/yaml_node.hpp"
#include "experiments/manifest/axis_map.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

using Point = std::vector<Axis::Value>;

/// Limit on the points that a slip of the pen could ask for.
constexpr std::size_t most_points = 100'000;

std::vector<Point> product_of(const std::vector<Axis>& grid) {
  std::vector<Point> points{{}};
  for (const Axis& axis : grid) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const Axis::Value& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

/// Labels that are excluded together, for each axis of the grid; of an axis that is not named all are.
using Exclusion = std::vector<std::vector<std::string>>;

const YamlNode& checked_map(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map || node.entries.empty())
    throw ValueProblem{node.position, concat(describe(node), " is not a map from axes to labels")};
  return node;
}

std::size_t axis_number(const YamlNode::Entry& entry, const std::vector<Axis>& grid) {
  const Axis* axis = find_by(grid, &Axis::name, entry.key);
  if (axis) return static_cast<std::size_t>(axis - grid.data());
  throw ValueProblem{entry.position, concat(quoted(entry.key), " is no axis of the stage's grid",
                                            nearest_name(entry.key, members_of(grid, &Axis::name)))};
}

Exclusion read_exclusion(const YamlNode& node, const std::vector<Axis>& grid) {
  Exclusion exclusion(grid.size());
  for (const YamlNode::Entry& entry : checked_map(node).entries) {
    const std::size_t number = axis_number(entry, grid);
    const bool several = entry.value.kind == YamlNode::Kind::sequence;
    for (const YamlNode& label : several ? entry.value.items : std::vector{entry.value}) {
      const std::vector<std::string> labels = members_of(grid[number].values, &Axis::Value::label);
      if (!is_among(labels, read_label(label)))
        throw ValueProblem{label.position, concat(describe(label), " is not on the axis ", entry.key,
                                                  nearest_name(label.text, labels))};
      exclusion[number].push_back(label.text);
    }
  }
  return exclusion;
}

bool fits(const Point& point, const Exclusion& exclusion) {
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    if (!exclusion[axis].empty() && !is_among(exclusion[axis], point[axis].label)) return false;
  }
  return true;
}

Point read_inclusion(const YamlNode& node, const std::vector<Axis>& grid, const std::vector<Axis>& named) {
  Point point(grid.size());
  for (const YamlNode::Entry& entry : checked_map(node).entries)
    point[axis_number(entry, grid)] = value_on(entry.key, named, entry.value);
  for (std::size_t axis = 0; axis < grid.size(); ++axis)
    if (point[axis].label.empty())
      throw ValueProblem{node.position, concat("the point has no label on the axis ", grid[axis].name)};
  return point;
}

std::vector<std::string> labels_of(const Point& point) {
  return members_of(point, &Axis::Value::label);
}

}  // namespace

std::vector<Point> read_points(const StageDraft& draft, const std::vector<Axis>& grid, const std::vector<Axis>& named,
                               const std::string& prefix, const KeyContext& context) {
  const auto add = [&](const YamlPosition& position, const char* key, const std::string& problem) {
    context.problems.add(concat(to_string(position), ": ", prefix, key, ": ", problem));
  };
  std::size_t count = 1;
  for (const Axis& axis : grid) count = std::min(most_points + 1, count * axis.values.size());
  if (count > most_points) {
    add(draft.grid.position, "grid", concat("more than ", most_points, " points"));
    return {};
  }
  std::vector<Point> points = product_of(grid);
  for (const YamlNode& item : draft.exclude.items) {
    try {
      const Exclusion exclusion = read_exclusion(item, grid);
      const std::size_t excluded = std::erase_if(points, [&](const Point& point) { return fits(point, exclusion); });
      if (excluded == 0) add(item.position, "exclude", "no point of the grid is left out by this");
    } catch (const ValueProblem& problem) {
      add(problem.position, "exclude", problem.problem);
    }
  }
  for (const YamlNode& item : draft.include.items) {
    try {
      const Point point = read_inclusion(item, grid, named);
      if (find_by(points, labels_of, labels_of(point)))
        throw ValueProblem{item.position, "this point is there already"};
      points.push_back(point);
    } catch (const ValueProblem& problem) {
      add(problem.position, "include", problem.problem);
    }
  }
  return points;
}

namespace {

/// Checks a stage's choice, and takes a stage from it that is none. `earlier` are the stages before it, in the
/// manifest's order, `all` the names of all.
void check_best_of(BestOf& best_of, const Stage& stage, const std::vector<Stage>& earlier,
                   const std::vector<std::string>& all, const std::string& prefix, const KeyContext& context) {
  const auto add = [&](const std::string& problem) {
    context.problems.add(concat(to_string(best_of.position), ": ", prefix, "best_of", problem));
  };
  if (metrics_named(best_of.metric).empty())
    add(".figure is missing, or not of the form TASK.METRIC, such as dev.auprc");
  const Stage* from = find_by(earlier, &Stage::name, best_of.stage);
  if (best_of.stage.empty()) return add(".stage is missing: name an earlier stage");
  if (!from) {
    const bool later = is_among(all, best_of.stage);
    add(concat(".stage: ", quoted(best_of.stage),
               later ? " does not stand before this stage, whose trials would wait for themselves: put it before"
                     : concat(" is no stage", nearest_name(best_of.stage, all))));
    return best_of.stage.clear();
  }
  for (const std::string& axis : best_of.within) {
    const bool is_here = find_by(stage.grid, &Axis::name, axis);
    if (is_here && find_by(from->grid, &Axis::name, axis)) continue;
    if (!is_unread(is_here ? *from : stage, axis))
      add(concat(".within: ", quoted(axis), " is no axis of ",
                 is_here ? concat("the stage ", from->name) : "this stage"));
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
  ProblemList of_points;
  const KeyContext reading_points{context.base_folder, of_points};
  stage.grid = read_grid(draft.grid, named, prefix + "grid.", reading_points);
  stage.points = read_points(draft, stage.grid, named, prefix, reading_points);
  for (const YamlNode::Entry& axis : draft.grid.entries)
    if (!find_by(stage.grid, &Axis::name, axis.key)) stage.unread.push_back(axis.key);
  if (stage.points.empty() && of_points.empty())
    of_points.add(
        concat(to_string(entry.position), ": stages.", entry.key, " has no trial: all of its grid is excluded"));
  context.problems.add(of_points);
  if (const YamlNode::Entry* best_of = find_entry(entry.value, "best_of")) {
    draft.best_of.position = best_of->position;
    check_best_of(draft.best_of, stage, earlier, all, prefix, context);
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
  const std::vector<std::string> all = members_of(draft.stages.entries, &YamlNode::Entry::key);
  if (all.empty()) add(draft.stages.position, "stages: the map is empty: give a stage, NAME: {grid: ..., seeds: [0]}");
  std::vector<Stage> stages;
  for (const YamlNode::Entry& entry : draft.stages.entries) {
    YamlNode::Entry read = entry;
    if (read.value.kind == YamlNode::Kind::null) read.value.kind = YamlNode::Kind::map;
    if (!is_test_name(entry.key))
      add(entry.position, concat("the name of a stage, ", quoted(entry.key), ",", no_name));
    else if (read.value.kind != YamlNode::Kind::map)
      add(entry.value.position, concat("stages.", entry.key, " is not a map of keys: NAME: {grid: ..., seeds: [0]}"));
    else
      stages.push_back(read_stage(read, named, stages, all, context));
  }
  return stages;
}

bool is_unread(const Stage& stage, const std::string& axis) {
  if (stage.best_of && stage.best_of->stage.empty()) return true;
  return is_among(stage.unread, axis) || !nearest_name(axis, stage.unread).empty();
}

std::vector<std::string> axes_of(const std::vector<Stage>& stages, const Stage& stage) {
  std::vector<std::string> axes = members_of(stage.grid, &Axis::name);
  if (!stage.best_of) return axes;
  if (const Stage* from = find_by(stages, &Stage::name, stage.best_of->stage))
    for (const std::string& axis : axes_of(stages, *from)) add_once(axes, axis);
  return axes;
}

TableChoice choice_of(const std::vector<Stage>& stages, const std::string& name) {
  const Stage* stage = name.empty() ? &stages.back() : find_by(stages, &Stage::name, name);
  if (!stage || !stage->best_of) return {};
  std::vector<std::string> axes = axes_of(stages, *stage);
  axes.erase(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(stage->grid.size()));
  return {stage->best_of->stage, stage->best_of->metric, std::move(axes)};
}

}  // namespace gausscse
