#pragma once

#include <string>

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

}  // namespace gausscse
