#include "experiments/manifest/metric_name.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

constexpr std::string_view average_begin = "average.", mean_begin = "mean(", backbone_begin = "backbone.";

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Returns whether the text is "TASK.METRIC".
bool is_name(std::string_view text) {
  const std::size_t dot = text.find('.');
  return dot != 0 && dot != text.npos && dot + 1 < text.size() && text.find_first_of(" ,()") == text.npos;
}

}  // namespace

std::vector<std::string> metrics_named(std::string_view metric) {
  if (is_name(metric)) return {std::string(metric)};
  if (!metric.starts_with(mean_begin) || !metric.ends_with(')')) return {};
  std::string_view left = metric.substr(mean_begin.size(), metric.size() - mean_begin.size() - 1);
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = left.find(',');
    const std::string_view name = without_blanks(left.substr(0, comma));
    if (!is_name(name)) return {};
    names.emplace_back(name);
    if (comma == left.npos) return names;
    left.remove_prefix(comma + 1);
  }
}

bool is_average(std::string_view name) {
  return name.starts_with(average_begin);
}

AverageName divided_average(const std::string& name) {
  const std::string rest = name.substr(average_begin.size());
  const std::string kind = task_of_metric(rest);
  return {kind, rest.substr(std::min(kind.size() + 1, rest.size()))};
}

std::string_view without_backbone(std::string_view name) {
  return name.starts_with(backbone_begin) ? name.substr(backbone_begin.size()) : name;
}

std::string of_backbone(std::string_view metric) {
  const std::string names =
      joined(metrics_named(metric), ", ", [](const std::string& name) { return concat(backbone_begin, name); });
  return metric.starts_with(mean_begin) ? concat(mean_begin, names, ")") : names;
}

std::string task_of_metric(std::string_view name) {
  return std::string(name.substr(0, name.find('.')));
}

}  // namespace gausscse
