#include "tests/launcher/metrics.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace gausscse {

namespace {

template <typename Value>
const std::vector<Value>& values_in(const StateResult& state, std::string_view task, std::string_view column) {
  for (const Column& each : measurement_in(state, task).columns)
    if (each.name == column) return std::get<std::vector<Value>>(each.values);
  throw std::out_of_range(concat("no column ", column, " of ", task));
}

}  // namespace

const Measurement& measurement_in(const StateResult& state, std::string_view task) {
  if (const Measurement* found = find_measurement(state.tasks, task)) return *found;
  throw std::out_of_range(concat("no measurement of ", task));
}

bool is_same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

double metric_in(const StateResult& state, std::string_view task, std::string_view metric) {
  return metric_of(measurement_in(state, task), metric);
}

const std::vector<float>& column_in(const StateResult& state, std::string_view task, std::string_view column) {
  return values_in<float>(state, task, column);
}

const std::vector<std::uint8_t>& labels_in(const StateResult& state, std::string_view task) {
  return values_in<std::uint8_t>(state, task, "label");
}

const Curve& curve_in(const std::vector<Curve>& curves, std::string_view task) {
  for (const Curve& curve : curves)
    if (curve.task == task) return curve;
  throw std::out_of_range(concat("no curve of ", task));
}

const std::vector<double>& line_in(const RunResult& result, std::string_view task, std::string_view metric) {
  for (const Curve::Line& line : curve_in(result.curves, task).lines)
    if (line.metric == metric) return line.values;
  throw std::out_of_range(concat("no figure ", metric, " in the curve of ", task));
}

nlohmann::json tasks_of_report(const std::filesystem::path& report) {
  return nlohmann::json::parse(read_whole_file(report, std::size_t{1} << 20)).at("tasks");
}

}  // namespace gausscse
