#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/numbers/report_data.hpp"
#include "experiments/report/numbers/trial_groups.hpp"
#include "experiments/report/plots/plots.hpp"
#include "experiments/report/sections/report_page.hpp"

namespace gausscse {

/// Opens a place that scrolls sideways where its content is wider than the page, also by keyboard; close it.
void open_scroll(HtmlWriter& page, const std::string& label);

/// Opens a part that a reader can fold, under its own line; close it. The first one of a section is open, so that a
/// reader sees its kind of content.
void open_details(HtmlWriter& page, const std::string& summary, bool is_open);

/// Opens a place for parts next to each other; close it.
void open_metrics(HtmlWriter& page);

/// Adds a remark in small print.
void add_quiet(HtmlWriter& page, const std::string& text);

/// Adds a heading within a section; nothing where it is empty.
void add_heading(HtmlWriter& page, const std::string& heading);

/// Head of a table of the page.
struct TableHead {
  std::string label;  ///< name of the place in which it scrolls
  std::string caption = {};
  std::vector<std::string> columns = {};
  std::size_t columns_of_words = 1;  ///< number of the first columns that hold words
  const char* style = "";
};

/// Opens a table in a place that scrolls; close it with `close_table`.
///
///     open_table(page, {.label = "Costs", .columns = {"trial", "time"}});
///     add_row(page, "ent seed 0", {"12 s"});
///     close_table(page);
void open_table(HtmlWriter& page, const TableHead& head);
void close_table(HtmlWriter& page);

/// Adds a row of a table: its heading and its cells.
void add_row(HtmlWriter& page, std::string_view heading, const std::vector<std::string>& cells);

/// Adds a table of names and values.
void add_facts_table(HtmlWriter& page, const std::string& caption, const Facts& facts);

/// Groups of a stage whose curves are shown.
struct ShownStage {
  std::string stage;
  std::string heading = {};  ///< empty for the only one
  std::string task = {};     ///< geometry task whose groups these are; else empty
  std::vector<std::size_t> groups = {};
  std::size_t left_out = 0;  ///< groups with results that are not shown
};
std::vector<ShownStage> shown_stages(const ReportData& data);

/// Lines in one picture at most: the eye can distinguish this many.
inline constexpr std::size_t most_lines = 8;

/// Returns the first `most` texts with commas, and how many more there are.
std::string first_texts(const std::vector<std::string>& texts, std::size_t most);

/// Returns "mean of seeds, band from the lowest to the highest" where a group has several.
std::string band_note(const ReportData& data, const std::vector<std::size_t>& groups);

/// Function that returns the band of a group's line in a plot; null where the group has none.
using BandOfGroup = std::function<const Band*(const GroupSummary&)>;

/// Returns a title, and behind it the settings that all groups of the panel share.
std::string title_in(const GroupPanel& panel, const std::string& title);

/// Returns the band as a line of a plot; with the band itself where it is of several seeds.
LineSeries line_of(const Band& band, std::string label);

/// Returns a line for each group of a panel. A group without one keeps its place, so that colours mean the same in all
/// plots of a stage.
std::vector<LineSeries> lines_of_groups(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band);

/// Returns the metrics by step that the groups have, without those that no step changes in any of them.
std::vector<const MetricBand*> changing_metrics(const ReportData& data, const std::vector<std::size_t>& groups);

/// Returns a plot of a metric by step.
PlotFigure curve_of_metric(const ReportData& data, const GroupPanel& panel, const MetricBand& metric);

}  // namespace gausscse
