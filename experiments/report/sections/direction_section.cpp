#include <utility>

#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using ShareOfBin = DirectionShare DirectionBin::*;

/// Returns "11 to 20", "-20 to -11", "0" or "81 or more": the differences of lengths in a bin.
std::string differences_text(const LengthStratum& bin) {
  if (bin.least == bin.most) return concat(bin.least);
  if (bin.least == -LengthStratum::no_limit) return concat(bin.most, " or less");
  if (bin.most == LengthStratum::no_limit) return concat(bin.least, " or more");
  return concat(bin.least, " to ", bin.most);
}

/// Returns "86.80 [85.57, 87.95]", in percent.
std::string share_text(const DirectionShare& share) {
  return concat(percent_text(share.share), " [", percent_text(share.interval.low), ", ",
                percent_text(share.interval.high), "]");
}

LineSeries line_of_shares(const std::vector<DirectionBin>& bins, const char* label, ShareOfBin of) {
  LineSeries line{.label = label, .bars = true};
  for (const DirectionBin& bin : bins) {
    line.x.push_back(bin.difference);
    line.y.push_back((bin.*of).share);
    line.low.push_back((bin.*of).interval.low);
    line.high.push_back((bin.*of).interval.high);
  }
  return line;
}

PlotFigure plot_of_directions(const std::string& task, const std::vector<DirectionBin>& bins) {
  LinePlot plot;
  plot.title = concat(task, ", direction by length");
  plot.x_label = "premise minus hypothesis, characters";
  plot.y_label = "right directions, %";
  plot.percent = true;
  plot.y_range = AxisRange{0, 1};
  plot.series = {line_of_shares(bins, "by similarity", &DirectionBin::by_similarity),
                 line_of_shares(bins, "by variance", &DirectionBin::by_variance)};
  LineSeries longer{.label = "the longer sentence is the premise"};
  for (const DirectionBin& bin : bins) {
    longer.x.push_back(bin.difference);
    longer.y.push_back(bin.stratum->by_length());
  }
  plot.references = {std::move(longer)};
  // Room for the bars at both ends.
  if (bins.size() > 1) {
    const double least = bins.front().difference, most = bins.back().difference, room = 0.04 * (most - least);
    plot.x_range = AxisRange{least - room, most + room};
  }
  return drawn(plot);
}

void add_table_of_directions(HtmlWriter& page, const std::string& task, const std::vector<DirectionBin>& bins) {
  open_table(page, {.label = concat(task, ", direction by length"),
                    .caption = concat(task, ": right directions in %, with 95% intervals over pairs"),
                    .columns = {"premise minus hypothesis", "pairs", "by similarity", "by variance", "by length"}});
  for (const DirectionBin& bin : bins)
    add_row(page, differences_text(*bin.stratum),
            {short_number(bin.pairs), share_text(bin.by_similarity), share_text(bin.by_variance),
             figure_value_text(bin.stratum->by_length(), Unit::fraction)});
  close_table(page);
}

bool has_directions(const ReportData& data, std::size_t group) {
  for (const NliSummary& nli : data.summaries[group].nli)
    if (!nli.directions.empty()) return true;
  return false;
}

}  // namespace

void add_directions_by_length(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  bool is_first = true;
  for (const ShownStage& stage : shown_stages(data)) {
    std::vector<std::size_t> groups;
    for (const std::size_t i : stage.groups)
      if (has_directions(data, i)) groups.push_back(i);
    if (groups.empty()) continue;
    if (is_first)
      page.element("p",
                   "Which of two sentences entails the other, by the difference of their lengths in characters. The "
                   "longer sentence is the premise in most pairs, so an accuracy over all pairs may measure only "
                   "length. A model knows more if it is above 50 % where the premise is shorter or as long. Bars and "
                   "brackets are Wilson's 95% intervals over pairs; with several seeds a share is their mean.");
    add_heading(page, stage.heading);
    for (const std::size_t i : groups) {
      open_details(page, data.groups[i].label, is_first);
      is_first = false;
      std::vector<PlotFigure> figures;
      for (const NliSummary& nli : data.summaries[i].nli)
        if (!nli.directions.empty()) figures.push_back(plot_of_directions(nli.task, nli.directions.bins()));
      add_figures(page, figures);
      for (const NliSummary& nli : data.summaries[i].nli)
        if (!nli.directions.empty()) add_table_of_directions(page, nli.task, nli.directions.bins());
      page.close();
    }
  }
}

}  // namespace gausscse
