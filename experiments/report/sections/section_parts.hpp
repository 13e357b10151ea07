#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/numbers/geometry_summary.hpp"
#include "experiments/report/numbers/report_data.hpp"
#include "experiments/report/numbers/trial_groups.hpp"
#include "experiments/report/plots/plots.hpp"
#include "experiments/report/sections/report_page.hpp"

namespace gausscse {

/// Opens `<section id=...>` with its heading; close it.
void open_section(HtmlWriter& page, std::string_view id, std::string_view heading);

/// Opens a place that scrolls sideways where what is in it is wider than the page, also by keyboard; close it.
void open_scroll(HtmlWriter& page, const std::string& label);

/// Opens what a reader can fold, under its own line; close it. The first one of a section is open, so that a reader
/// sees what there is.
void open_details(HtmlWriter& page, const std::string& summary, bool is_open);

/// Adds a table of names and values.
void add_facts_table(HtmlWriter& page, const std::string& caption, const Facts& facts);

/// Groups of a stage whose curves are shown.
struct ShownStage {
  std::string stage;
  std::vector<std::size_t> groups;
  std::size_t left_out = 0;  ///< groups with results that are not shown
};
std::vector<ShownStage> shown_stages(const ReportData& data);

/// Lines in one picture at most: the eye can distinguish this many.
inline constexpr std::size_t most_lines = 8;

/// Says that groups of the stage are left out, where there are.
void add_left_out(HtmlWriter& page, const ShownStage& stage);

/// Returns what a stage's heading says: nothing for the only one.
std::string heading_of(const ShownStage& stage, std::size_t stages);

/// Returns "AUPRC of snli": a metric as people write it, and its task.
std::string figure_title(const std::string& figure, const std::string& task);
/// Returns "AUPRC", "accuracy".
std::string figure_word(const std::string& figure);
/// Returns the same with what it is measured in: "accuracy, %".
std::string axis_label(const std::string& figure, Unit unit);

/// Returns an axis' name, short: "batch size" of "training.batch_size".
std::string axis_word(const std::string& axis);

/// Returns the first `most` texts with commas, and how many more there are.
std::string first_texts(const std::vector<std::string>& texts, std::size_t most);

/// Returns "mean of seeds, band from the lowest to the highest" where a group has several.
std::string band_note(const ReportData& data, const std::vector<std::size_t>& groups);

/// Function that returns the band of a group's line in a plot; null where the group has none.
using BandOfGroup = std::function<const Band*(const GroupSummary&)>;

/// Returns a title, and behind it what all groups of the panel share.
std::string title_in(const GroupPanel& panel, const std::string& title);

/// Returns the band as a line of a plot; with the band itself where it is of several seeds.
LineSeries line_of(const Band& band, std::string label);

/// Returns a line for each group of a panel. A group without one keeps its place, so that colours mean the same in all
/// plots of a stage.
std::vector<LineSeries> lines_of_groups(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band);

/// Returns the metrics by step that the groups have, without those that no step changes in any of them.
std::vector<const FigureBand*> changing_figures(const ReportData& data, const std::vector<std::size_t>& groups);

/// Adds a plot of a metric by step.
void add_curve_of_figure(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const FigureBand& figure);

/// Returns whether a task is of this kind, by its metrics.
bool is_of_kind(const ReportData& data, const std::string& task, std::string_view kind);

/// Function that returns whether a geometry task's summary has something to show.
using HasGeometry = bool (*)(const GeometrySummary&);

/// A stage and one of its geometry tasks, with the groups that have something to show.
struct StageOfTask {
  std::string heading;  ///< empty for the only one
  std::string task;
  std::vector<std::size_t> groups;
};
std::vector<StageOfTask> geometry_stages(const ReportData& data, HasGeometry shown);

/// Returns lines of untrained states: one for those of a panel's groups that are alike, with what these groups share in
/// its label.
std::vector<LineSeries> untrained_lines(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band);

/// Adds the two lines of a table's head: `first_columns`, then "before training" and "after training", each over
/// `columns`.
void add_head_of_states(HtmlWriter& page, const std::vector<std::string>& first_columns,
                        const std::vector<std::string>& columns);

}  // namespace gausscse
