#include "experiments/report/numbers/geometry_summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "evaluation/geometry/self_similarity_change.hpp"
#include "experiments/statistics/principal_components.hpp"

namespace gausscse {

namespace {

constexpr const char* share_figures[] = {"rogue.share_of_top.1", "rogue.share_of_top.2", "rogue.share_of_top.3"};
constexpr const char* reaching_figures[] = {"rogue.reaching.0.1", "rogue.reaching.0.2", "rogue.reaching.0.5"};

/// Returns the layer of "anisotropy.3"; nothing of a metric of all, or of a part with another name.
std::optional<std::pair<std::string, double>> layer_of(const std::string& figure) {
  const std::size_t dot = figure.find('.');
  if (dot == std::string::npos) return std::nullopt;
  int layer = 0;
  const char* end = figure.data() + figure.size();
  const auto [rest, error] = std::from_chars(figure.data() + dot + 1, end, layer);
  if (error != std::errc() || rest != end || layer < 0) return std::nullopt;
  return std::pair{figure.substr(0, dot), static_cast<double>(layer)};
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

}  // namespace

void GeometrySummaryOfSeeds::OfState::add(const Measurement& measurement) {
  const auto* shares = find_column<std::vector<double>>(measurement, geometry_columns::rogue_share);
  if (!find_figure(measurement.figures, share_figures[0])) return;
  ++seeds;
  for (std::size_t i = 0; i < 3; ++i) {
    share_of_top[i] += value_or_none(measurement, share_figures[i]);
    reaching[i] += value_or_none(measurement, reaching_figures[i]);
  }
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

RogueSummary GeometrySummaryOfSeeds::OfState::summary() const {
  RogueSummary summary{{}, {}, cumulative.band()};
  for (std::size_t i = 0; i < 3; ++i) {
    // Without a seed: not a number.
    summary.share_of_top[i] = share_of_top[i] / static_cast<double>(seeds);
    summary.reaching[i] = reaching[i] / static_cast<double>(seeds);
  }
  return summary;
}

void GeometrySummaryOfSeeds::add_layers(const Measurement& measurement, BandOfSeeds LayerBands::*state) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> lines;
  std::vector<std::string> order;
  for (const Figure& figure : measurement.figures) {
    const auto of_layer = layer_of(figure.name);
    // The dimensions removed from informativity, and the first ones of rogue dimensions, are no layers.
    if (!of_layer || of_layer->first == "informativity" || of_layer->first == "rogue") continue;
    if (!lines.contains(of_layer->first)) order.push_back(of_layer->first);
    auto& [layer, value] = lines[of_layer->first];
    layer.push_back(of_layer->second);
    value.push_back(figure.value);
  }
  for (const std::string& figure : order) {
    auto known =
        std::find_if(layers_.begin(), layers_.end(), [&](const LayerBands& bands) { return bands.figure == figure; });
    if (known == layers_.end())
      known = layers_.insert(layers_.end(), LayerBands{figure, BandOfSeeds(most_points_), BandOfSeeds(most_points_)});
    ((*known).*state).add(lines[figure].first, lines[figure].second);
  }
}

void GeometrySummaryOfSeeds::add_changes(const Measurement& before, const Measurement& after) {
  const std::vector<TokenSelfSimilarity> tokens = adjusted_self_similarities(after);
  const SelfSimilarityChange change = self_similarity_change(adjusted_self_similarities(before), tokens, frequent);
  if (change.tokens.empty()) return;
  if (seeds_with_changes_++ == 0) {
    changes_ = change.tokens;
    changes_seeds_.assign(changes_.size(), 1);
    left_out_ = change.left_out;
    return;
  }
  std::unordered_map<std::string, const TokenChange*> named;
  for (const TokenChange& token : change.tokens) named.emplace(token.token, &token);
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const auto found = named.find(changes_[i].token);
    if (found == named.end()) continue;
    changes_[i].before += found->second->before;
    changes_[i].after += found->second->after;
    changes_[i].change += found->second->change;
    ++changes_seeds_[i];
  }
}

void GeometrySummaryOfSeeds::add_early(const Measurement& before, const Measurement& early, std::int64_t steps) {
  if (!early_plane_.after_x.empty()) return;
  early_plane_ = plane_of(before, early);
  if (!early_plane_.after_x.empty()) early_steps_ = steps;
}

void GeometrySummaryOfSeeds::add(const Measurement* before, const Measurement& after) {
  add_layers(after, &LayerBands::after);
  after_.add(after);
  if (!before) return;
  add_layers(*before, &LayerBands::before);
  before_.add(*before);
  add_changes(*before, after);
  if (plane_.after_x.empty()) plane_ = plane_of(*before, after);
}

GeometrySummary GeometrySummaryOfSeeds::summary() const {
  GeometrySummary summary;
  for (const LayerBands& bands : layers_)
    summary.layers.push_back({bands.figure, bands.before.band(), bands.after.band()});
  summary.before = before_.summary();
  summary.after = after_.summary();
  summary.left_out = left_out_;
  const auto seeds = static_cast<double>(seeds_with_changes_);
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (changes_seeds_[i] < seeds_with_changes_) {
      ++summary.left_out;
      continue;
    }
    const TokenChange& sum = changes_[i];
    summary.changes.push_back({sum.token, sum.occurrences, sum.before / seeds, sum.after / seeds, sum.change / seeds});
  }
  summary.plane = plane_;
  summary.early_plane = early_plane_;
  summary.early_steps = early_steps_;
  return summary;
}

const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task) {
  for (const GeometrySummary& summary : summaries)
    if (summary.task == task) return &summary;
  return nullptr;
}

}  // namespace gausscse
