#include <cmath>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

bool has_rogue_dimensions(const GeometrySummary& summary) {
  return std::isfinite(summary.after.share_of_top[0]);
}

void add_rogue_cells(HtmlWriter& page, const RogueSummary& state) {
  for (const double share : state.share_of_top) page.element("td", decimal_text(share, 3));
  // Means over seeds need not be whole.
  for (const double count : state.reaching) page.element("td", short_number(count));
}

void add_rogue_table(HtmlWriter& page, const ReportData& data, const StageOfTask& stage) {
  const std::string caption = "Shares of the first dimensions, and how many reach a share (table 1): " + stage.task;
  open_scroll(page, caption);
  page.open("table").element("caption", caption);
  add_head_of_states(page, {"setting"}, {"first", "first 2", "first 3", "10\xC2\xA0%", "20\xC2\xA0%", "50\xC2\xA0%"});
  page.open("tbody");
  for (const std::size_t i : stage.groups) {
    const GeometrySummary& summary = *find_geometry(data.summaries[i].geometry, stage.task);
    page.open("tr").element("th", data.groups[i].label, {{"scope", "row"}});
    add_rogue_cells(page, summary.before);
    add_rogue_cells(page, summary.after);
    page.close();
  }
  page.close().close().close();
}

void add_share_plot(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const std::string& task) {
  const auto band_of = [&](const RogueSummary GeometrySummary::*state) -> BandOfGroup {
    return [&, state](const GroupSummary& summary) -> const Band* {
      const GeometrySummary* geometry = find_geometry(summary.geometry, task);
      return geometry ? &(geometry->*state).cumulative : nullptr;
    };
  };
  LinePlot plot;
  plot.title = title_in(panel, "Cumulative share of dimensions of " + task);
  plot.x_label = "dimensions, the largest share first";
  plot.y_label = "share of self-similarity, %";
  plot.percent = true;
  plot.y_range = AxisRange{0, 1};
  plot.series = lines_of_groups(data, panel, band_of(&GeometrySummary::after));
  plot.references = untrained_lines(data, panel, band_of(&GeometrySummary::before));
  bool any = false;
  for (const LineSeries& line : plot.series) any |= !line.x.empty();
  if (any) add_figure(page, plot);
}

}  // namespace

bool add_rogue_dimensions(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<StageOfTask> stages = geometry_stages(data, has_rogue_dimensions);
  if (stages.empty()) return false;
  open_section(page, "rogue", "Rogue dimensions");
  page.element("p",
               "Shares of single dimensions in the similarity of token ids with themselves, in the last layer. Where a "
               "few have most of it, cosines depend on these alone.");
  for (const StageOfTask& stage : stages) {
    if (!stage.heading.empty()) page.element("h3", stage.heading);
    add_rogue_table(page, data, stage);
    page.open("div", {{"class", "figures"}});
    for (const GroupPanel& panel : panels_of(data.groups, stage.groups, most_lines))
      add_share_plot(page, data, panel, stage.task);
    page.close();
  }
  page.close();
  return true;
}

}  // namespace gausscse
