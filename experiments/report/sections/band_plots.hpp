#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/numbers/report_data.hpp"
#include "experiments/report/numbers/trial_groups.hpp"
#include "experiments/report/plots/line_plot.hpp"

namespace gausscse {

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
bool is_of_kind(const ReportData& data, const std::string& task, const std::string& kind);

}  // namespace gausscse
