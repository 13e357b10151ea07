#include "experiments/report/numbers/trial_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

constexpr const char* between_labels = " \xC2\xB7 ";  // a middle dot

bool is_number(const std::string& label) {
  const char *begin = label.c_str(), *const end = begin + label.size();
  char* parsed = nullptr;
  std::strtod(begin, &parsed);
  return parsed == end && parsed != begin;
}

std::string joined_labels(const TrialGroup& group, const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes) {
    std::string label = label_of(group, axis);
    // A number alone does not show its kind.
    if (is_number(label)) label = concat(axis.substr(axis.rfind('.') + 1), " ", label);
    if (!label.empty()) text += (text.empty() ? "" : between_labels) + label;
  }
  return text;
}

std::size_t labels_on(const std::vector<const TrialGroup*>& groups, const std::string& axis) {
  std::set<std::string> labels;
  for (const TrialGroup* group : groups) labels.insert(label_of(*group, axis));
  return labels.size();
}

/// Returns the axis whose labels make the lines of a panel; empty where no axis' labels fit.
std::string axis_of_lines(const std::vector<const TrialGroup*>& groups, const std::vector<std::string>& axes,
                          std::size_t most) {
  std::string best;
  std::size_t labels_of_best = 0;
  for (const std::string& axis : axes) {
    const std::size_t labels = labels_on(groups, axis);
    if (labels > most || labels <= labels_of_best) continue;
    best = axis;
    labels_of_best = labels;
  }
  return best;
}

/// Cuts a panel into panels with the groups in their order, as many in each as fit.
void cut_into(std::vector<GroupPanel>& panels, const GroupPanel& whole, std::size_t most) {
  for (std::size_t begin = 0; begin < whole.groups.size(); begin += most) {
    const std::size_t end = std::min(begin + most, whole.groups.size());
    GroupPanel& part = panels.emplace_back();
    part.title = whole.title;
    part.groups.assign(whole.groups.begin() + static_cast<std::ptrdiff_t>(begin),
                       whole.groups.begin() + static_cast<std::ptrdiff_t>(end));
    part.labels.assign(whole.labels.begin() + static_cast<std::ptrdiff_t>(begin),
                       whole.labels.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

/// Groups that are alike on all axes but this one.
std::vector<std::size_t> along_axis(const std::vector<TrialGroup>& groups, const std::vector<std::size_t>& chosen,
                                    std::size_t group, const std::vector<std::string>& axes, const std::string& along) {
  std::vector<std::size_t> found;
  for (const std::size_t other : chosen) {
    const bool alike = std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) {
      return axis == along || label_of(groups[other], axis) == label_of(groups[group], axis);
    });
    if (alike) found.push_back(other);
  }
  return found;
}

/// Panels of the groups that would be alone. Each is with those that differ from it on one axis alone, the one with the
/// most of them, which may stand in another panel already. So a study that changes one setting at a time has a panel a
/// setting. The last of the axes is that of the lines where no other group is like it.
std::vector<GroupPanel> sweeps_of(const std::vector<TrialGroup>& groups, const std::vector<std::size_t>& chosen,
                                  const std::vector<std::size_t>& alone, const std::vector<std::string>& axes) {
  std::vector<GroupPanel> panels;
  std::set<std::size_t> placed;
  for (const std::size_t group : alone) {
    if (placed.contains(group)) continue;
    GroupPanel& panel = panels.emplace_back(GroupPanel{"", {group}, {}});
    std::string along = axes.back();
    for (const std::string& axis : axes) {
      const std::vector<std::size_t> members = along_axis(groups, chosen, group, axes, axis);
      if (members.size() <= panel.groups.size()) continue;
      panel.groups = members;
      along = axis;
    }
    std::vector<std::string> shared = axes;
    std::erase(shared, along);
    panel.title = joined_labels(groups[group], shared);
    for (const std::size_t member : panel.groups) {
      panel.labels.push_back(label_of(groups[member], along));
      placed.insert(member);
    }
  }
  return panels;
}

}  // namespace

std::string label_of(const TrialGroup& group, const std::string& axis) {
  for (const auto& [name, label] : group.coordinates)
    if (name == axis) return label;
  return "";
}

std::vector<std::string> varying_axes(const std::vector<const TrialGroup*>& groups) {
  std::vector<std::string> axes, varying;
  for (const TrialGroup* group : groups)
    for (const auto& [axis, label] : group->coordinates) add_once(axes, axis);
  for (const std::string& axis : axes)
    if (labels_on(groups, axis) > 1) varying.push_back(axis);
  return varying;
}

std::vector<TrialGroup> groups_of(const std::vector<StudyTrial>& trials) {
  std::vector<TrialGroup> groups;
  std::map<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>, std::size_t> known;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const PlannedTrial& planned = trials[i].planned;
    const auto [at, is_new] = known.try_emplace({planned.stage, planned.coordinates}, groups.size());
    if (is_new) groups.push_back({planned.stage, planned.coordinates, {}, ""});
    groups[at->second].trials.push_back(i);
  }
  std::map<std::string, std::vector<const TrialGroup*>> of_stage;
  for (const TrialGroup& group : groups) of_stage[group.stage].push_back(&group);
  std::map<std::string, std::vector<std::string>> axes;
  for (const auto& [stage, members] : of_stage) axes[stage] = varying_axes(members);
  for (TrialGroup& group : groups) {
    group.label = joined_labels(group, axes[group.stage]);
    if (group.label.empty()) group.label = group.stage;
  }
  return groups;
}

std::vector<GroupPanel> panels_of(const std::vector<TrialGroup>& groups, const std::vector<std::size_t>& chosen,
                                  std::size_t most) {
  std::vector<const TrialGroup*> members;
  GroupPanel whole;
  for (const std::size_t i : chosen) {
    members.push_back(&groups[i]);
    whole.groups.push_back(i);
    whole.labels.push_back(groups[i].label);
  }
  if (chosen.size() <= most) return {whole};
  std::vector<std::string> others = varying_axes(members);
  const std::string line_axis = axis_of_lines(members, others, most);
  std::vector<GroupPanel> panels;
  if (line_axis.empty()) {
    cut_into(panels, whole, most);
    return panels;
  }
  std::erase(others, line_axis);
  std::vector<GroupPanel> by_others;
  for (const std::size_t i : chosen) {
    const std::string title = joined_labels(groups[i], others);
    auto panel =
        std::find_if(by_others.begin(), by_others.end(), [&](const GroupPanel& p) { return p.title == title; });
    if (panel == by_others.end()) panel = by_others.insert(by_others.end(), GroupPanel{title, {}, {}});
    panel->groups.push_back(i);
    panel->labels.push_back(label_of(groups[i], line_axis));
  }
  std::vector<std::size_t> alone;
  for (const GroupPanel& panel : by_others) {
    if (panel.groups.size() > 1)
      cut_into(panels, panel, most);
    else
      alone.push_back(panel.groups.front());
  }
  others.push_back(line_axis);
  for (const GroupPanel& panel : sweeps_of(groups, chosen, alone, others)) cut_into(panels, panel, most);
  return panels;
}

}  // namespace gausscse
