#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

bool has_rogue_dimensions(const GeometrySummary& summary) {
  return std::isfinite(summary.after.mean(summary.after.share_of_top[0]));
}

/// Adds the two lines of the table's head: each column once for each state.
void add_head_of_states(HtmlWriter& page, std::initializer_list<const char*> columns) {
  page.open("thead").open("tr");
  page.element("th", "setting", {{"scope", "col"}, {"rowspan", "2"}, {"class", "words"}});
  for (const char* state : {"before training", "after training"})
    page.element("th", state, {{"scope", "colgroup"}, {"colspan", std::to_string(columns.size())}});
  page.close().open("tr");
  for (int state = 0; state < 2; ++state)
    for (const char* column : columns) page.element("th", column, {{"scope", "col"}});
  page.close().close();
}

void add_rogue_table(HtmlWriter& page, const ReportData& data, const ShownStage& stage) {
  const std::string caption = "Shares of the first dimensions, and how many reach a share (table 1): " + stage.task;
  open_scroll(page, caption);
  page.open("table").element("caption", caption);
  add_head_of_states(page, {"first", "first 2", "first 3", "10\xC2\xA0%", "20\xC2\xA0%", "50\xC2\xA0%"});
  page.open("tbody");
  for (const std::size_t i : stage.groups) {
    const GeometrySummary& summary = geometry_of(data, i, stage.task);
    std::vector<std::string> cells;
    for (const RogueSummary* state : {&summary.before, &summary.after}) {
      for (const double share : state->share_of_top) cells.push_back(decimal_text(state->mean(share), 3));
      // Means over seeds need not be whole.
      for (const double count : state->reaching) cells.push_back(short_number(state->mean(count)));
    }
    add_row(page, data.groups[i].label, cells);
  }
  close_table(page);
}

void add_share_plot(std::vector<PlotFigure>& figures, const ReportData& data, const GroupPanel& panel,
                    const std::string& task) {
  const auto has_shares = [&](std::size_t i) {
    const GeometrySummary* geometry = find_geometry(data.summaries[i].geometry, task);
    return geometry && !geometry->after.cumulative.empty();
  };
  if (std::none_of(panel.groups.begin(), panel.groups.end(), has_shares)) return;
  LinePlot plot;
  plot.title = title_in(panel, "Cumulative share of dimensions of " + task);
  plot.x_label = "dimensions, the largest share first";
  plot.y_label = "share of self-similarity, %";
  plot.percent = true;
  plot.y_range = AxisRange{0, 1};
  figures.push_back(plot_of_states(
      data, panel, task, std::move(plot), [](const GeometrySummary& geometry) { return &geometry.before.cumulative; },
      [](const GeometrySummary& geometry) { return &geometry.after.cumulative; }));
}

}  // namespace

void add_rogue_dimensions(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages = geometry_stages(data, has_rogue_dimensions);
  if (stages.empty()) return;
  page.element("p",
               "Shares of single dimensions in the similarity of token ids with themselves, in the last layer. Where a "
               "few have most of it, cosines depend on these alone.");
  for (const ShownStage& stage : stages) {
    add_heading(page, stage.heading);
    add_rogue_table(page, data, stage);
    std::vector<PlotFigure> figures;
    for (const GroupPanel& panel : panels_of(data.groups, stage.groups, most_lines))
      add_share_plot(figures, data, panel, stage.task);
    add_figures(page, figures);
  }
}

}  // namespace gausscse
