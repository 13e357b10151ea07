#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

/// Returns the settings of a group whose names begin with `begin`, by name.
std::map<std::string, std::string> settings_of_group(const ReportData& data, std::size_t group,
                                                     std::string_view begin) {
  std::map<std::string, std::string> found;
  for (const std::size_t trial : data.groups[group].trials) {
    if (trial >= data.settings.size()) continue;
    for (const auto& [name, value] : data.settings[trial])
      if (name.starts_with(begin)) found.emplace(name, value);
    if (!found.empty()) break;
  }
  return found;
}

/// Groups of a panel that have one objective.
struct ObjectiveGroups {
  std::map<std::string, std::string> objective;
  std::vector<bool> members;        ///< for each group of the panel
  std::vector<std::string> labels;  ///< labels of the members
};

std::vector<ObjectiveGroups> objectives_of(const ReportData& data, const GroupPanel& panel) {
  std::vector<ObjectiveGroups> objectives;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const auto objective = settings_of_group(data, panel.groups[i], "objective.");
    auto known = std::find_if(objectives.begin(), objectives.end(),
                              [&](const ObjectiveGroups& each) { return each.objective == objective; });
    if (known == objectives.end())
      known = objectives.insert(objectives.end(), {objective, std::vector<bool>(panel.groups.size()), {}});
    known->members[i] = true;
    known->labels.push_back(panel.labels[i]);
  }
  return objectives;
}

/// Adds a plot for each objective. Lines of other objectives keep their places, so that one legend serves all plots.
void add_loss_plots(std::vector<PlotFigure>& metrics, const ReportData& data, const GroupPanel& panel) {
  constexpr std::size_t most_labels = 3;
  const std::vector<ObjectiveGroups> objectives = objectives_of(data, panel);
  for (const ObjectiveGroups& objective : objectives) {
    LinePlot plot;
    plot.title = title_in(panel, "Training loss by step");
    if (objectives.size() > 1) plot.title += ": " + first_texts(objective.labels, most_labels);
    plot.x_label = "step";
    plot.y_label = "loss, nats";
    plot.series = lines_of_groups(data, panel, [](const GroupSummary& summary) { return &summary.loss; });
    for (std::size_t i = 0; i < plot.series.size(); ++i)
      if (!objective.members[i]) plot.series[i] = {plot.series[i].label, {}, {}, {}, {}};
    if (std::any_of(plot.series.begin(), plot.series.end(), [](const LineSeries& line) { return !line.x.empty(); }))
      metrics.push_back(drawn(plot));
  }
}

/// Adds why losses cannot be compared, where that is so.
void add_loss_notes(HtmlWriter& page, const ReportData& data, const std::vector<GroupPanel>& panels) {
  bool differ = false, batches_differ = false;
  for (const GroupPanel& panel : panels) {
    differ = differ || objectives_of(data, panel).size() > 1;
    for (const std::size_t group : panel.groups)
      batches_differ = batches_differ || settings_of_group(data, group, "training.batch_size") !=
                                             settings_of_group(data, panel.groups[0], "training.batch_size");
  }
  if (differ)
    add_quiet(page, "Losses of different objectives cannot be compared: each objective has its plot and its scale.");
  if (batches_differ)
    add_quiet(page,
              "A contrastive loss is higher for a larger batch, which has more candidates: losses of different batch "
              "sizes cannot be compared.");
}

}  // namespace

void add_learning_curves(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages = shown_stages(data);
  if (stages.empty()) return;
  for (const ShownStage& stage : stages) {
    add_heading(page, stage.heading);
    if (stage.left_out > 0)
      add_quiet(page, concat("Not drawn, to keep the page small: ", stage.left_out, " more settings of the stage ",
                             stage.stage, "."));
    if (stage.groups.empty()) continue;
    add_quiet(page, band_note(data, stage.groups));
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    add_loss_notes(page, data, panels);
    std::vector<PlotFigure> metrics;
    for (const GroupPanel& panel : panels) add_loss_plots(metrics, data, panel);
    for (const MetricBand* metric : changing_metrics(data, stage.groups)) {
      const auto is_of_geometry = [&](std::size_t i) {
        return find_geometry(data.summaries[i].geometry, metric->task) != nullptr;
      };
      if (std::any_of(stage.groups.begin(), stage.groups.end(), is_of_geometry)) continue;
      for (const GroupPanel& panel : panels) metrics.push_back(curve_of_metric(data, panel, *metric));
    }
    add_figures(page, metrics);
  }
}

}  // namespace gausscse
