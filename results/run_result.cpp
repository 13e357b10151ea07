#include "results/run_result.hpp"

#include <algorithm>
#include <limits>

namespace gausscse {

namespace {

/// Returns the element with this name, added with `make` where there is none.
template <typename Elements, typename Make>
auto& find_or_add(Elements& elements, std::string Elements::value_type::*name, const std::string& wanted, Make make) {
  const auto found =
      std::find_if(elements.begin(), elements.end(), [&](const auto& element) { return element.*name == wanted; });
  return found != elements.end() ? *found : elements.emplace_back(make());
}

}  // namespace

bool is_untrained_best(std::string_view state, std::int64_t step) {
  return state == "best" && step == 0;
}

void add_to_curves(const Measurement& measurement, std::int64_t step, std::vector<Curve>& curves) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Curve& curve = find_or_add(curves, &Curve::task, measurement.task, [&] { return Curve{measurement.task, {}, {}}; });
  for (const Figure& figure : measurement.figures) {
    Curve::Line& line = find_or_add(curve.lines, &Curve::Line::figure, figure.name, [&] {
      return Curve::Line{figure.name, figure.unit, std::vector<double>(curve.step.size(), none)};
    });
    line.values.push_back(figure.value);
  }
  curve.step.push_back(step);
  for (Curve::Line& line : curve.lines) line.values.resize(curve.step.size(), none);
}

}  // namespace gausscse
