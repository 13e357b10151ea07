#include <algorithm>

#include "base/error.hpp"
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
    open_figures(page);
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    for (const GroupPanel& panel : panels) add_loss_plot(page, data, panel);
    for (const MetricBand* metric : changing_metrics(data, stage.groups)) {
      const auto is_of_geometry = [&](std::size_t i) {
        return find_geometry(data.summaries[i].geometry, metric->task) != nullptr;
      };
      if (std::any_of(stage.groups.begin(), stage.groups.end(), is_of_geometry)) continue;
      for (const GroupPanel& panel : panels) add_curve_of_metric(page, data, panel, *metric);
    }
    page.close();
  }
}

}  // namespace gausscse
