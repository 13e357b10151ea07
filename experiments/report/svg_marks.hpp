#pragma once

#include <cstddef>
#include <string>

#include "experiments/report/html_writer.hpp"

namespace gausscse {

/// The pattern of a series' line; empty: drawn through.
std::string dashes_of(std::size_t series);

/// Adds the sign of a series, of 7 units across, around a point. Signs are told apart by shape.
void add_marker(HtmlWriter& svg, std::size_t series, double x, double y);

/// "s3": the class that gives a series its colour.
std::string class_of_series(std::size_t series);

}  // namespace gausscse
