#pragma once

#include <string>
#include <vector>

#include "experiments/report/html_writer.hpp"

namespace gausscse {

/// An element `figure`: the title, the picture, and a legend with a label for each series.
void add_plot_figure(HtmlWriter& page, const std::string& title, const std::string& svg,
                     const std::vector<std::string>& labels, bool with_markers);

}  // namespace gausscse
