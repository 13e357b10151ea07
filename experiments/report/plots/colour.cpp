#include "experiments/report/plots/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace gausscse {

namespace {

double linear_light(double part) {
  const double value = part / 255;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const Colour& colour) {
  return 0.2126 * linear_light(colour.red) + 0.7152 * linear_light(colour.green) + 0.0722 * linear_light(colour.blue);
}

constexpr std::array<Colour, 5> heat_colours = {
    {{16, 42, 92}, {66, 84, 110}, {122, 121, 118}, {186, 166, 98}, {252, 222, 80}}};

}  // namespace

std::string to_text(const Colour& colour) {
  const auto whole = [](double part) { return static_cast<unsigned>(std::lround(std::clamp(part, 0.0, 255.0))); };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", whole(colour.red), whole(colour.green), whole(colour.blue));
  return text;
}

Colour heat_colour(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(heat_colours.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(place), heat_colours.size() - 2);
  const double share = place - static_cast<double>(before);
  const Colour &from = heat_colours[before], &to = heat_colours[before + 1];
  return {from.red + share * (to.red - from.red), from.green + share * (to.green - from.green),
          from.blue + share * (to.blue - from.blue)};
}

double contrast(const Colour& a, const Colour& b) {
  const double of_a = luminance(a), of_b = luminance(b);
  return (std::max(of_a, of_b) + 0.05) / (std::min(of_a, of_b) + 0.05);
}

Colour readable_on(const Colour& background) {
  const Colour black{0, 0, 0}, white{255, 255, 255};
  return contrast(background, black) >= contrast(background, white) ? black : white;
}

}  // namespace gausscse
