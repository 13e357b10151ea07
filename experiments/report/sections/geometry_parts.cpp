#include "experiments/report/sections/geometry_parts.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns whether bands are alike: rounding on another machine makes no other state.
bool are_alike(const Band& a, const Band& b) {
  constexpr double tolerance = 1e-4;
  if (a.x != b.x) return false;
  for (std::size_t i = 0; i < a.mean.size(); ++i) {
    if (std::isnan(a.mean[i]) && std::isnan(b.mean[i])) continue;
    if (!(std::abs(a.mean[i] - b.mean[i]) <= tolerance * std::max(1.0, std::abs(a.mean[i])))) return false;
  }
  return true;
}

/// Returns the labels that these groups share, on axes on which those of the panel differ; else the first one's label.
std::string shared_labels(const ReportData& data, const GroupPanel& panel, const std::vector<std::size_t>& members) {
  std::vector<const TrialGroup*> of_panel, of_members;
  for (const std::size_t i : panel.groups) of_panel.push_back(&data.groups[i]);
  for (const std::size_t i : members) of_members.push_back(&data.groups[panel.groups[i]]);
  const std::vector<std::string> differing = varying_axes(of_members);
  std::string text;
  for (const std::string& axis : varying_axes(of_panel)) {
    if (std::find(differing.begin(), differing.end(), axis) != differing.end()) continue;
    const std::string label = label_of(*of_members.front(), axis);
    if (!label.empty()) text += (text.empty() ? "" : ", ") + label;
  }
  return text.empty() ? panel.labels[members.front()] : text;
}

}  // namespace

std::vector<StageOfTask> geometry_stages(const ReportData& data, HasGeometry shown) {
  std::vector<StageOfTask> found;
  const std::vector<ShownStage> stages = shown_stages(data);
  std::vector<std::string> tasks;
  for (const ShownStage& stage : stages)
    for (const std::size_t i : stage.groups)
      for (const GeometrySummary& summary : data.summaries[i].geometry)
        if (std::find(tasks.begin(), tasks.end(), summary.task) == tasks.end()) tasks.push_back(summary.task);
  for (const ShownStage& stage : stages) {
    for (const std::string& task : tasks) {
      StageOfTask of_task{heading_of(stage, stages.size()), task, {}};
      if (tasks.size() > 1) of_task.heading += (of_task.heading.empty() ? "Task " : ", task ") + task;
      for (const std::size_t i : stage.groups)
        if (const GeometrySummary* summary = find_geometry(data.summaries[i].geometry, task);
            summary && shown(*summary))
          of_task.groups.push_back(i);
      if (!of_task.groups.empty()) found.push_back(std::move(of_task));
    }
  }
  return found;
}

std::vector<LineSeries> untrained_lines(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band) {
  struct Alike {
    const Band* band;
    std::vector<std::size_t> members;
  };
  std::vector<Alike> different;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const Band* of_group = band(data.summaries[panel.groups[i]]);
    if (!of_group || of_group->x.empty()) continue;
    const auto known = std::find_if(different.begin(), different.end(),
                                    [&](const Alike& alike) { return are_alike(*alike.band, *of_group); });
    if (known == different.end())
      different.push_back({of_group, {i}});
    else
      known->members.push_back(i);
  }
  std::vector<LineSeries> lines;
  for (const Alike& alike : different) {
    const std::string label = different.size() == 1 ? "" : concat(", ", shared_labels(data, panel, alike.members));
    lines.push_back({"before training" + label, alike.band->x, alike.band->mean, {}, {}});
  }
  return lines;
}

void add_head_of_states(HtmlWriter& page, const std::vector<std::string>& first_columns,
                        const std::vector<std::string>& columns) {
  page.open("thead").open("tr");
  for (const std::string& column : first_columns)
    page.element("th", column, {{"scope", "col"}, {"rowspan", "2"}, {"class", "words"}});
  for (const char* state : {"before training", "after training"})
    page.element("th", state, {{"scope", "colgroup"}, {"colspan", std::to_string(columns.size())}});
  page.close().open("tr");
  for (int state = 0; state < 2; ++state)
    for (const std::string& column : columns) page.element("th", column, {{"scope", "col"}});
  page.close().close();
}

}  // namespace gausscse
