#include "base/error.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/plots.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

std::string component_label(const char* which, double share) {
  return concat(which, " component, ", decimal_text(100 * share, 1), " %");
}

PlotFigure plane_plot(const std::string& label, const SentencePlane& plane, const std::string& after) {
  ScatterPlot plot;
  plot.title = title_in({}, label);
  plot.x_label = component_label("first", plane.first_share);
  plot.y_label = component_label("second", plane.second_share);
  plot.series = {{after, plane.after_x, plane.after_y}, {"before training", plane.before_x, plane.before_y}};
  return drawn(plot);
}

}  // namespace

void add_sentence_vectors(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages =
      geometry_stages(data, [](const GeometrySummary& summary) { return !summary.plane.after_x.empty(); });
  if (stages.empty()) return;
  page.element("p",
               "Mean-pooled sentence vectors before and after training along the two principal components of both "
               "together, for one seed; axes show their share of the variance. The paper's figure 1 shows them by "
               "UMAP, after 200 steps (vectors_at of the task); result.h5 has the vectors for that.");
  for (const ShownStage& stage : stages) {
    add_heading(page, stage.heading);
    std::vector<PlotFigure> metrics;
    for (const std::size_t i : stage.groups) {
      const GeometrySummary& geometry = geometry_of(data, i, stage.task);
      if (!geometry.early_plane.after_x.empty())
        metrics.push_back(
            plane_plot(data.groups[i].label, geometry.early_plane, concat("after ", geometry.early_steps, " steps")));
      metrics.push_back(plane_plot(data.groups[i].label, geometry.plane, "after training"));
    }
    add_figures(page, metrics);
  }
}

}  // namespace gausscse
