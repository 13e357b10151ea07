#include "experiments/manifest/stage_points.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "config/schema/yaml_node.hpp"
#include "experiments/manifest/axis_values.hpp"

namespace gausscse {

namespace {

using Point = std::vector<Axis::Value>;

/// Bounds what a slip of the pen could ask for.
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
  const Axis* axis = find_axis(grid, entry.key);
  if (axis) return static_cast<std::size_t>(axis - grid.data());
  throw ValueProblem{entry.position, concat(quoted(entry.key), " is no axis of the stage's grid",
                                            nearest_name(entry.key, names_of(grid)))};
}

Exclusion read_exclusion(const YamlNode& node, const std::vector<Axis>& grid) {
  Exclusion exclusion(grid.size());
  for (const YamlNode::Entry& entry : checked_map(node).entries) {
    const std::size_t number = axis_number(entry, grid);
    const bool several = entry.value.kind == YamlNode::Kind::sequence;
    for (const YamlNode& label : several ? entry.value.items : std::vector{entry.value}) {
      if (!find_value(grid[number], read_label(label)))
        throw ValueProblem{label.position, concat(describe(label), " is not on the axis ", entry.key,
                                                  nearest_name(label.text, labels_of(grid[number])))};
      exclusion[number].push_back(label.text);
    }
  }
  return exclusion;
}

bool fits(const Point& point, const Exclusion& exclusion) {
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    const std::vector<std::string>& labels = exclusion[axis];
    if (!labels.empty() && std::find(labels.begin(), labels.end(), point[axis].label) == labels.end()) return false;
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

bool same_labels(const Point& a, const Point& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Axis::Value& x, const Axis::Value& y) { return x.label == y.label; });
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
      if (std::any_of(points.begin(), points.end(), [&](const Point& other) { return same_labels(point, other); }))
        throw ValueProblem{item.position, "this point is there already"};
      points.push_back(point);
    } catch (const ValueProblem& problem) {
      add(problem.position, "include", problem.problem);
    }
  }
  return points;
}

}  // namespace gausscse
