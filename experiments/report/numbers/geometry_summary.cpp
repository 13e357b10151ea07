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

constexpr const char* share_metrics[] = {"rogue.share_of_top.1", "rogue.share_of_top.2", "rogue.share_of_top.3"};
constexpr const char* reaching_metrics[] = {"rogue.reaching.0.1", "rogue.reaching.0.2", "rogue.reaching.0.5"};

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

double value_or_none(const Measurement& measurement, const char* name) {
  const Figure* figure = find_figure(measurement.figures, name);
  return figure ? figure->value : std::numeric_limits<double>::quiet_NaN();
}

/// Numbers of dimensions at which cumulative shares are drawn: all of the first ones, then every eighth part more.
bool is_drawn(std::size_t dimensions, std::size_t all, std::size_t previous) {
  return dimensions <= 50 || dimensions == all || dimensions >= previous + previous / 8;
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
  for (const Figure& metric : measurement.figures) {
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

const TokenChange* find_token(const SelfSimilarityChange& change, const std::string& token) {
  const auto found = std::find_if(change.tokens.begin(), change.tokens.end(),
                                  [&](const TokenChange& each) { return each.token == token; });
  return found == change.tokens.end() ? nullptr : &*found;
}

}  // namespace

void RogueSummary::add(const Measurement& measurement) {
  if (!find_figure(measurement.figures, share_metrics[0])) return;
  ++seeds;
  for (std::size_t i = 0; i < 3; ++i) {
    share_of_top[i] += value_or_none(measurement, share_metrics[i]);
    reaching[i] += value_or_none(measurement, reaching_metrics[i]);
  }
  const auto* shares = find_column<std::vector<double>>(measurement, geometry_columns::rogue_share);
  if (!shares) return;
  std::vector<double> number, cumulated;
  double sum = 0;
  for (std::size_t i = 0; i < shares->size(); ++i) {
    sum += (*shares)[i];
    if (!is_drawn(i + 1, shares->size(), number.empty() ? 0 : static_cast<std::size_t>(number.back()))) continue;
    number.push_back(static_cast<double>(i + 1));
    cumulated.push_back(sum);
  }
  cumulative.add(number, cumulated);
}

void GeometrySummary::add(const Measurement* before_training, const Measurement& kept) {
  add_layers(kept, &LayerMetric::after, *this);
  after.add(kept);
  if (!before_training) return;
  add_layers(*before_training, &LayerMetric::before, *this);
  before.add(*before_training);
  SelfSimilarityChange change =
      self_similarity_change(adjusted_self_similarities(*before_training), adjusted_self_similarities(kept), frequent);
  if (!change.tokens.empty()) changes.push_back(std::move(change));
  if (plane.after_x.empty()) plane = plane_of(*before_training, kept);
}

void GeometrySummary::add_early(const Measurement& before_training, const Measurement& early, std::int64_t steps) {
  if (!early_plane.after_x.empty()) return;
  early_plane = plane_of(before_training, early);
  if (!early_plane.after_x.empty()) early_steps = steps;
}

SelfSimilarityChange GeometrySummary::mean_changes() const {
  if (changes.empty()) return {};
  SelfSimilarityChange means{{}, changes.front().left_out};
  const auto seeds = static_cast<double>(changes.size());
  for (const TokenChange& first : changes.front().tokens) {
    TokenChange sum{first.token, first.occurrences, 0, 0, 0};
    const bool in_all = std::all_of(changes.begin(), changes.end(), [&](const SelfSimilarityChange& of_seed) {
      const TokenChange* token = find_token(of_seed, first.token);
      if (!token) return false;
      sum.before += token->before;
      sum.after += token->after;
      sum.change += token->change;
      return true;
    });
    if (in_all)
      means.tokens.push_back({sum.token, sum.occurrences, sum.before / seeds, sum.after / seeds, sum.change / seeds});
    else
      ++means.left_out;
  }
  return means;
}

const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task) {
  for (const GeometrySummary& summary : summaries)
    if (summary.task == task) return &summary;
  return nullptr;
}

}  // namespace gausscse
