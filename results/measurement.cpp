#include "results/measurement.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

bool is_averaged(const Figure& figure) {
  return figure.unit == Unit::fraction && figure.name.find('.') == std::string::npos;
}

Average average_of(const std::vector<const Measurement*>& tasks) {
  Average average{tasks.front()->kind, {}, ""};
  const bool partial =
      std::any_of(tasks.begin(), tasks.end(), [](const Measurement* task) { return is_partial(*task); });
  for (const Figure& figure : tasks.front()->figures) {
    double sum = 0;
    const bool in_all = std::all_of(tasks.begin(), tasks.end(), [&](const Measurement* task) {
      const Figure* found = find_figure(task->figures, figure.name);
      if (found) sum += found->value;
      return found != nullptr;
    });
    if (in_all && is_averaged(figure))
      average.figures.push_back(
          {figure.name, partial ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(tasks.size()),
           figure.unit});
  }
  for (const Measurement* task : tasks)
    if (!task->remark.empty())
      average.remark += concat(average.remark.empty() ? "" : "; ", task->task, " is ", task->remark);
  return average;
}

}  // namespace

const Figure* find_figure(const std::vector<Figure>& figures, std::string_view name) {
  for (const Figure& figure : figures)
    if (figure.name == name) return &figure;
  return nullptr;
}

double figure_of(const Measurement& measurement, std::string_view name) {
  if (const Figure* figure = find_figure(measurement.figures, name)) return figure->value;
  std::vector<std::string> known;
  for (const Figure& figure : measurement.figures) known.push_back(figure.name);
  throw InputError(concat("the task ", quoted(measurement.task), " has no metric ", quoted(std::string(name)),
                          nearest_name(std::string(name), known), "; it has ", joined(known)));
}

const Measurement* find_measurement(const std::vector<Measurement>& measurements, std::string_view task) {
  for (const Measurement& measurement : measurements)
    if (measurement.task == task) return &measurement;
  return nullptr;
}

bool is_partial(const Measurement& measurement) {
  const Figure* missing = find_figure(measurement.figures, "missing_subsets");
  return missing && missing->value > 0;
}

std::vector<Average> averages_of(const std::vector<Measurement>& measurements) {
  std::vector<std::vector<const Measurement*>> kinds;
  for (const Measurement& measurement : measurements) {
    if (measurement.development) continue;
    const auto same = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto& kind) { return kind.front()->kind == measurement.kind; });
    if (same == kinds.end())
      kinds.push_back({&measurement});
    else
      same->push_back(&measurement);
  }
  std::vector<Average> averages;
  for (const auto& tasks : kinds) {
    if (tasks.size() < 2) continue;
    Average average = average_of(tasks);
    if (!average.figures.empty()) averages.push_back(std::move(average));
  }
  return averages;
}

}  // namespace gausscse
