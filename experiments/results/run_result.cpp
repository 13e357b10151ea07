#include "experiments/results/run_result.hpp"

#include "base/error.hpp"

namespace gausscse {

void add_to_curves(const Measurement& measurement, std::int64_t step, std::vector<Curve>& curves) {
  Curve* curve = nullptr;
  for (Curve& each : curves)
    if (each.task == measurement.task) curve = &each;
  if (!curve) {
    curve = &curves.emplace_back(Curve{measurement.task, {}, {}});
    for (const Figure& figure : measurement.figures) curve->lines.push_back({figure.name, figure.unit, {}});
  }
  GAUSSCSE_CHECK(curve->lines.size() == measurement.figures.size(), measurement.task,
                 " has the same figures each time");
  curve->step.push_back(step);
  for (std::size_t i = 0; i < curve->lines.size(); ++i) {
    GAUSSCSE_CHECK(curve->lines[i].figure == measurement.figures[i].name, curve->lines[i].figure);
    curve->lines[i].values.push_back(measurement.figures[i].value);
  }
}

}  // namespace gausscse
