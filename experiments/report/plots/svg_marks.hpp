#pragma once

#include <cstddef>
#include <string>

#include "experiments/report/html/html_writer.hpp"

namespace gausscse {

/// Returns the pattern of a series' line; empty: drawn through.
std::string dashes_of(std::size_t series);

/// Returns the pattern of a line to compare with.
std::string dashes_of_reference(std::size_t number);

/// Returns what draws one of many points at the place of a path's pen, and the class of the path.
std::string point_shape(std::size_t series);
std::string point_class(std::size_t series);

/// Adds the sign of a series, of 7 units across, around a point. Signs are distinguished by shape.
void add_marker(HtmlWriter& svg, std::size_t series, double x, double y);

/// Returns "s3": the class that gives a series its colour.
std::string class_of_series(std::size_t series);

}  // namespace gausscse
