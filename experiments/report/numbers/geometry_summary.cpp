#include "experiments/report/numbers/geometry_summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "evaluation/geometry/self_similarity_change.hpp"
#include "experiments/statistics/principal_components.hpp"

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

/// Returns an empty value where a state has no vectors.
SentencePlane plane_of(const Measurement& before, const Measurement& after) {
  const auto* first = find_column<VectorRows>(before, geometry_columns::sentence_vector);
  const auto* second = find_column<VectorRows>(after, geometry_columns::sentence_vector);
  if (!first || !second) return {};
  if (first->width != second->width)
    throw InputError(concat("the task ", quoted(after.task), " has sentence vectors of ", first->width, " and of ",
                            second->width, " dimensions: its result is damaged"));
  std::vector<float> joined = first->values;
  joined.insert(joined.end(), second->values.begin(), second->values.end());
  const PrincipalComponents found = principal_components(joined, first->width, 2);
  SentencePlane plane;
  if (found.count < 2) return plane;
  const std::size_t sentences = first->values.size() / static_cast<std::size_t>(first->width);
  for (std::size_t i = 0; 2 * i < found.coordinates.size(); ++i) {
    (i < sentences ? plane.before_x : plane.after_x).push_back(found.coordinates[2 * i]);
    (i < sentences ? plane.before_y : plane.after_y).push_back(found.coordinates[2 * i + 1]);
  }
  plane.first_share = found.shares[0];
  plane.second_share = found.shares[1];
  return plane;
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
  if (!before_training) return;
  add_layers(*before_training, &LayerMetric::before, *this);
  if (plane.after_x.empty()) plane = plane_of(*before_training, kept);
}

void GeometrySummary::add_early(const Measurement& before_training, const Measurement& early, std::int64_t steps) {
  if (!early_plane.after_x.empty()) return;
  early_plane = plane_of(before_training, early);
  if (!early_plane.after_x.empty()) early_steps = steps;
}

const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task) {
  for (const GeometrySummary& summary : summaries)
    if (summary.task == task) return &summary;
  return nullptr;
}

}  // namespace gausscse
