#include "experiments/study/item_figure.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/tasks/length_strata.hpp"
#include "config/tasks/retrieval_metrics.hpp"
#include "config/tasks/task_settings.hpp"
#include "evaluation/geometry/self_similarity_change.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "experiments/statistics/drawn_figures.hpp"
#include "experiments/study/correct_items.hpp"

namespace gausscse {

namespace {

using Doubles = std::vector<double>;
using Numbers = std::vector<std::int64_t>;

/// A correlation of an sts task: the column of its scores, and how it treats subsets.
struct Correlation {
  const char* scores;
  PartsOfCorrelation parts;
};

std::optional<Correlation> correlation_of(std::string_view figure) {
  constexpr std::string_view symmetric = "symmetric_";
  const char* scores = sts_columns::cosine;
  if (figure.starts_with(symmetric)) {
    figure.remove_prefix(symmetric.size());
    scores = sts_columns::symmetric_similarity;
  }
  if (figure == "spearman") return Correlation{scores, PartsOfCorrelation::together};
  if (figure == "spearman_mean") return Correlation{scores, PartsOfCorrelation::mean};
  if (figure == "spearman_wmean") return Correlation{scores, PartsOfCorrelation::mean_by_numbers};
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> shares_of_items{"accuracy", "direction_sim", "direction_var"};

bool is_self_similarity(std::string_view figure) {
  return figure == "self_similarity" || figure == "adjusted_self_similarity";
}

[[noreturn]] void refuse(const Measurement& measurement, std::string_view figure) {
  throw InputError(concat("the columns of the task ", quoted(measurement.task), " do not give its metric ",
                          quoted(std::string(figure)), ": its result is damaged"));
}

/// Returns whether a value computed from columns is the metric, but for the order in which numbers are added.
bool gives(const FigureOfItems& of_drawn, std::size_t items, double figure) {
  std::vector<std::uint32_t> all(items);
  std::iota(all.begin(), all.end(), 0u);
  return std::abs(of_drawn(all) - figure) < 1e-9;
}

/// Returns the clusters of the counted pairs; each alone in a result without this column.
ItemClusters clusters_of(const Measurement& measurement, const std::vector<std::uint8_t>& counted) {
  const auto* all = find_column<Numbers>(measurement, "cluster");
  Numbers of_counted;
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (counted[i])
      of_counted.push_back(all && all->size() == counted.size() ? (*all)[i] : static_cast<std::int64_t>(i));
  return ItemClusters(of_counted);
}

ItemFigure auprc_items(const Measurement& measurement) {
  const std::vector<std::uint8_t> counted = counted_pairs(measurement);
  const auto& label = *find_column<std::vector<std::uint8_t>>(measurement, "label");
  const auto& similarity = *find_column<std::vector<float>>(measurement, "sim_hypothesis_premise");
  std::vector<float> scores;
  std::vector<std::uint8_t> positive;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (!counted[i]) continue;
    scores.push_back(similarity[i]);
    positive.push_back(label[i] == 0);
  }
  const double figure = figure_of(measurement, "auprc");
  for (const CurvePoints points : {CurvePoints::every_score, CurvePoints::sweep}) {
    FigureOfItems area = drawn_precision_recall_area(scores, positive, points);
    if (gives(area, scores.size(), figure)) return {clusters_of(measurement, counted), {}, {}, std::move(area)};
  }
  refuse(measurement, "auprc");
}

ItemFigure correlation_items(const Measurement& measurement, std::string_view figure, const Correlation& correlation) {
  const auto& scores = *find_column<Doubles>(measurement, correlation.scores);
  const auto& gold = *find_column<Doubles>(measurement, sts_columns::gold);
  const auto& subset = *find_column<Numbers>(measurement, sts_columns::subset);
  for (const std::int64_t number : subset)
    if (number < 0 || number >= static_cast<std::int64_t>(subset.size())) refuse(measurement, figure);
  if (scores.size() != gold.size() || scores.size() != subset.size()) refuse(measurement, figure);
  FigureOfItems of_drawn = drawn_spearman(scores, gold, subset, correlation.parts);
  if (!gives(of_drawn, scores.size(), figure_of(measurement, figure))) refuse(measurement, figure);
  return {ItemClusters(scores.size()), {}, {}, std::move(of_drawn)};
}

/// Returns items whose mean is the metric.
ItemFigure items_of_values(const Measurement& measurement, std::string_view figure, Doubles values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (!(std::abs(mean - figure_of(measurement, figure)) < 1e-9)) refuse(measurement, figure);
  const std::size_t items = values.size();
  return {ItemClusters(items), {}, std::move(values), {}};
}

ItemFigure self_similarity_items(const Measurement& measurement, std::string_view figure) {
  const double taken_off = figure == "self_similarity" ? 0 : figure_of(measurement, "anisotropy");
  Doubles values;
  for (const double value : *find_column<Doubles>(measurement, geometry_columns::self_similarity))
    if (!std::isnan(value)) values.push_back(value - taken_off);
  return items_of_values(measurement, figure, std::move(values));
}

/// The metrics of a ranking have columns of their names.
ItemFigure retrieval_items(const Measurement& measurement, std::string_view figure) {
  return items_of_values(measurement, figure, *find_column<Doubles>(measurement, figure));
}

template <typename Values>
bool equal_columns(const Measurement& a, const Measurement& b, const char* column) {
  const Values *in_a = find_column<Values>(a, column), *in_b = find_column<Values>(b, column);
  return in_a && in_b && *in_a == *in_b;
}

}  // namespace

bool is_share_of_items(std::string_view figure) {
  const std::size_t dot = figure.find('.');
  if (dot == std::string_view::npos) return is_among(shares_of_items, figure);
  return figure.starts_with("direction_") && is_among(shares_of_items, figure.substr(0, dot)) &&
         find_length_stratum(figure.substr(dot + 1));
}

bool is_figure_of_items(std::string_view figure) {
  return is_share_of_items(figure) || figure == "auprc" || correlation_of(figure) || is_self_similarity(figure) ||
         is_retrieval_metric(figure);
}

bool has_items(const Measurement& measurement, std::string_view figure) {
  const Figure* found = find_figure(measurement.figures, figure);
  if (!found || std::isnan(found->value)) return false;
  if (is_share_of_items(figure)) return records_correct_items(measurement, figure);
  if (figure == "auprc")
    return records_correct_items(measurement, "accuracy") &&
           find_column<std::vector<float>>(measurement, "sim_hypothesis_premise");
  if (const auto correlation = correlation_of(figure))
    return find_column<Doubles>(measurement, correlation->scores) &&
           find_column<Doubles>(measurement, sts_columns::gold) &&
           find_column<Numbers>(measurement, sts_columns::subset);
  if (is_retrieval_metric(figure)) return find_column<Doubles>(measurement, figure);
  return is_self_similarity(figure) && find_column<Doubles>(measurement, geometry_columns::self_similarity);
}

ItemFigure item_figure(const Measurement& measurement, std::string_view figure) {
  if (!has_items(measurement, figure))
    throw InputError(concat("the task ", quoted(measurement.task), " has no values of single items for ",
                            quoted(std::string(figure))));
  if (is_share_of_items(figure)) {
    return {clusters_of(measurement, counted_items(measurement, figure)), correct_items(measurement, figure), {}, {}};
  }
  if (figure == "auprc") return auprc_items(measurement);
  if (const auto correlation = correlation_of(figure)) return correlation_items(measurement, figure, *correlation);
  return is_retrieval_metric(figure) ? retrieval_items(measurement, figure)
                                     : self_similarity_items(measurement, figure);
}

std::pair<ItemFigure, ItemFigure> paired_items(const Measurement& a, const Measurement& b, std::string_view figure) {
  if (a.kind == StsTaskSettings::kind || a.kind == GeometryTaskSettings::kind ||
      a.kind == RetrievalTaskSettings::kind) {
    if (!are_of_same_items(a, b, figure))
      throw InputError(concat("the task ", quoted(a.task), " has other items in one result than in the other"));
  } else {
    check_same_items(a, b, figure);
  }
  return {item_figure(a, figure), item_figure(b, figure)};
}

bool are_of_same_items(const Measurement& a, const Measurement& b, std::string_view figure) {
  if (a.kind != b.kind) return false;
  if (a.kind == StsTaskSettings::kind)
    return equal_columns<Doubles>(a, b, sts_columns::gold) && equal_columns<Numbers>(a, b, sts_columns::subset);
  if (a.kind == GeometryTaskSettings::kind)
    return equal_columns<std::vector<std::string>>(a, b, geometry_columns::token) &&
           equal_columns<Numbers>(a, b, geometry_columns::occurrences);
  if (a.kind == RetrievalTaskSettings::kind)
    return equal_columns<std::vector<std::string>>(a, b, retrieval_columns::query) &&
           equal_columns<Numbers>(a, b, retrieval_columns::relevant) &&
           figure_of(a, "documents") == figure_of(b, "documents");
  try {
    check_same_items(a, b, "accuracy");
    check_same_items(a, b, "direction_sim");
    if (is_share_of_items(figure)) check_same_items(a, b, figure);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace gausscse
