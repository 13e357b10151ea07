#include "config/tasks/metric_names.hpp"

#include <algorithm>

namespace gausscse {

bool MetricNames::may_have(std::string_view name) const {
  const auto begins = [&](const std::string& beginning) {
    return name.size() > beginning.size() && name.starts_with(beginning);
  };
  return std::find(whole.begin(), whole.end(), name) != whole.end() ||
         std::any_of(beginnings.begin(), beginnings.end(), begins);
}

bool MetricNames::needs_directions(std::string_view name) const {
  return std::any_of(of_directions.begin(), of_directions.end(),
                     [&](const std::string& beginning) { return name.starts_with(beginning); });
}

}  // namespace gausscse
