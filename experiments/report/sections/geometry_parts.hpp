#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/numbers/geometry_summary.hpp"
#include "experiments/report/numbers/report_data.hpp"
#include "experiments/report/sections/band_plots.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

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
