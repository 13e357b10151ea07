#include "training/checkpoint/training_state.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "base/error.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

std::vector<double> numbers_of(const TrainingState& state) {
  std::vector<double> numbers;
  for_each_number(state, [&](auto number) { numbers.push_back(static_cast<double>(number)); });
  return numbers;
}

bool set_numbers(TrainingState& state, const std::vector<double>& numbers) {
  if (numbers.size() != numbers_of(state).size()) return false;
  auto next = numbers.begin();
  for_each_number(state, [&]<typename T>(T& number) { number = static_cast<T>(*next++); });
  return true;
}

FlatCurves flat_curves(const std::vector<Curve>& curves) {
  FlatCurves flat;
  nlohmann::ordered_json header = nlohmann::ordered_json::array();
  for (const Curve& curve : curves) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    flat.values.insert(flat.values.end(), curve.step.begin(), curve.step.end());
    for (const Curve::Line& line : curve.lines) {
      lines.push_back({{"figure", line.metric}, {"unit", name_of(line.unit)}});
      flat.values.insert(flat.values.end(), line.values.begin(), line.values.end());
    }
    header.push_back({{"task", curve.task}, {"steps", curve.step.size()}, {"lines", std::move(lines)}});
  }
  flat.header = header.dump();
  return flat;
}

std::vector<Curve> curves_of(const FlatCurves& flat) {
  std::vector<Curve> curves;
  std::span<const double> rest = flat.values;
  const auto take = [&](std::size_t count) {
    if (count > rest.size()) throw InputError("has fewer values than its curves");
    const std::span<const double> taken = rest.first(count);
    rest = rest.subspan(count);
    return std::vector<double>(taken.begin(), taken.end());
  };
  const JsonDocument headers = parse_strict_json(flat.header, "the header");
  for (const nlohmann::json& header : headers.value()) {
    Curve& curve = curves.emplace_back(Curve{header.at("task").get<std::string>(), {}, {}});
    const auto count = header.at("steps").get<std::size_t>();
    for (const double step : take(count)) curve.step.push_back(static_cast<std::int64_t>(step));
    for (const nlohmann::json& line : header.at("lines"))
      curve.lines.push_back({line.at("figure").get<std::string>(),
                             parse_choice<Unit>("a unit", line.at("unit").get<std::string>()), take(count)});
  }
  if (!rest.empty()) throw InputError("has more values than its curves");
  return curves;
}

}  // namespace gausscse
