#pragma once

#include <string>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// A colour of sRGB, each part in [0, 255].
struct Colour {
  double red = 0, green = 0, blue = 0;
};

/// Returns "#0072b2".
std::string to_text(const Colour& colour);

/// Returns a colour from dark blue (0) to yellow (1): rises evenly in lightness, so that it can be read in grey and by
/// the colour-blind.
Colour heat_colour(double part);

/// Returns the contrast of two colours as in WCAG 2.1, from 1 to 21.
double contrast(const Colour& a, const Colour& b);

/// Returns black or white, the one that stands out more; a contrast of 4.58 at least.
Colour readable_on(const Colour& background);

/// A metric over two axes: a table whose cells are coloured from the lowest value to the highest. Fractions that differ
/// by less than 5 points have the middle of the colours alone.
struct HeatMap {
  std::string title;
  std::string row_axis, column_axis;
  std::vector<std::string> rows, columns;   ///< labels
  std::vector<std::vector<double>> values;  ///< [rows][columns]; NaN: no trial
  Unit unit = Unit::fraction;
  std::vector<std::vector<bool>> untrained =
      {};  ///< [rows][columns]: true for values of untrained states; may be empty
};

/// Mark next to a value of an untrained state.
inline constexpr const char* untrained_mark_of_page = "\xE2\x80\xA1";

/// Adds the map as an element `figure` with a table. The highest values as printed are bold, but no value of an
/// untrained state, which has a mark. Where all values print the same, none is bold or coloured.
void add_figure(HtmlWriter& page, const HeatMap& map);

}  // namespace gausscse
