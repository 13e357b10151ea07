#include "config/tasks/geometry_task_settings.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

void add_loss_plot(HtmlWriter& page, const ReportData& data, const GroupPanel& panel) {
  LinePlot plot;
  plot.title = title_in(panel, "Training loss by step");
  plot.x_label = "step";
  plot.y_label = "loss, nats";
  plot.series = lines_of_groups(data, panel, [](const GroupSummary& summary) { return &summary.loss; });
  add_figure(page, plot);
}

}  // namespace

bool add_learning_curves(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages = shown_stages(data);
  if (stages.empty()) return false;
  open_section(page, "curves", "Learning curves");
  for (const ShownStage& stage : stages) {
    if (const std::string heading = heading_of(stage, stages.size()); !heading.empty()) page.element("h3", heading);
    add_left_out(page, stage);
    if (stage.groups.empty()) continue;
    page.element("p", band_note(data, stage.groups), {{"class", "quiet"}});
    page.open("div", {{"class", "figures"}});
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    for (const GroupPanel& panel : panels) add_loss_plot(page, data, panel);
    for (const FigureBand* figure : changing_figures(data, stage.groups))
      if (!is_of_kind(data, figure->task, GeometryTaskSettings::kind))
        for (const GroupPanel& panel : panels) add_curve_of_figure(page, data, panel, *figure);
    page.close();
  }
  page.close();
  return true;
}

}  // namespace gausscse
