#include "experiments/report/numbers/geometry_summary.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/lists.hpp"

namespace gausscse {

namespace {

/// Returns the layer of "anisotropy.3"; nothing of a metric of all, or of a part with another name.
std::optional<std::pair<std::string, double>> layer_of(const std::string& metric) {
  const std::size_t dot = metric.find('.');
  if (dot == std::string::npos) return std::nullopt;
  int layer = 0;
  const char* end = metric.data() + metric.size();
  const auto [rest, error] = std::from_chars(metric.data() + dot + 1, end, layer);
  if (error != std::errc() || rest != end || layer < 0) return std::nullopt;
  return std::pair{metric.substr(0, dot), static_cast<double>(layer)};
}

void add_layers(const Measurement& measurement, Band LayerMetric::*state, GeometrySummary& summary) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> lines;
  std::vector<std::string> order;
  for (const Metric& metric : measurement.metrics) {
    const auto of_layer = layer_of(metric.name);
    // The dimensions removed from informativity, and the first ones of rogue dimensions, are no layers.
    if (!of_layer || of_layer->first == "informativity" || of_layer->first == "rogue") continue;
    add_once(order, of_layer->first);
    auto& [layer, value] = lines[of_layer->first];
    layer.push_back(of_layer->second);
    value.push_back(metric.value);
  }
  for (const std::string& name : order) {
    auto known = std::find_if(summary.layers.begin(), summary.layers.end(),
                              [&](const LayerMetric& layers) { return layers.metric == name; });
    if (known == summary.layers.end())
      known = summary.layers.insert(known, {name, Band(summary.most_points), Band(summary.most_points)});
    ((*known).*state).add(lines[name].first, lines[name].second);
  }
}

}  // namespace

void GeometrySummary::add(const Measurement* before_training, const Measurement& kept) {
  add_layers(kept, &LayerMetric::after, *this);
  if (before_training) add_layers(*before_training, &LayerMetric::before, *this);
}

const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task) {
  for (const GeometrySummary& summary : summaries)
    if (summary.task == task) return &summary;
  return nullptr;
}

}  // namespace gausscse
