#include "experiments/study/item_metric.hpp"

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
#include "experiments/statistics/bootstrap_metrics.hpp"
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

std::optional<Correlation> correlation_of(std::string_view metric) {
  constexpr std::string_view symmetric = "symmetric_";
  const char* scores = sts_columns::cosine;
  if (metric.starts_with(symmetric)) {
    metric.remove_prefix(symmetric.size());
    scores = sts_columns::symmetric_similarity;
  }
  if (metric == "spearman") return Correlation{scores, PartsOfCorrelation::together};
  if (metric == "spearman_mean") return Correlation{scores, PartsOfCorrelation::mean};
  if (metric == "spearman_wmean") return Correlation{scores, PartsOfCorrelation::mean_by_numbers};
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> shares_of_items{"accuracy", "direction_sim", "direction_var"};

bool is_self_similarity(std::string_view metric) {
  return metric == "self_similarity" || metric == "adjusted_self_similarity";
}

[[noreturn]] void refuse(const Measurement& measurement, std::string_view metric) {
  throw InputError(concat("the columns of the task ", quoted(measurement.task), " do not give its metric ",
                          quoted(std::string(metric)), ": its result is damaged"));
}

/// Returns whether a value computed from columns is the metric, but for the order in which numbers are added.
bool gives(const MetricOnSample& on_sample, std::size_t items, double metric) {
  std::vector<std::uint32_t> all(items);
  std::iota(all.begin(), all.end(), 0u);
  return std::abs(on_sample(all) - metric) < 1e-9;
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

ItemMetric auprc_items(const Measurement& measurement) {
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
  const double metric = metric_of(measurement, "auprc");
  for (const CurvePoints points : {CurvePoints::every_score, CurvePoints::sweep}) {
    MetricOnSample area = drawn_precision_recall_area(scores, positive, points);
    if (gives(area, scores.size(), metric)) return {clusters_of(measurement, counted), {}, {}, std::move(area)};
  }
  refuse(measurement, "auprc");
}

ItemMetric correlation_items(const Measurement& measurement, std::string_view metric, const Correlation& correlation) {
  const auto& scores = *find_column<Doubles>(measurement, correlation.scores);
  const auto& gold = *find_column<Doubles>(measurement, sts_columns::gold);
  const auto& subset = *find_column<Numbers>(measurement, sts_columns::subset);
  for (const std::int64_t number : subset)
    if (number < 0 || number >= static_cast<std::int64_t>(subset.size())) refuse(measurement, metric);
  if (scores.size() != gold.size() || scores.size() != subset.size()) refuse(measurement, metric);
  MetricOnSample on_sample = drawn_spearman(scores, gold, subset, correlation.parts);
  if (!gives(on_sample, scores.size(), metric_of(measurement, metric))) refuse(measurement, metric);
  return {ItemClusters(scores.size()), {}, {}, std::move(on_sample)};
}

/// Returns items whose mean is the metric.
ItemMetric items_of_values(const Measurement& measurement, std::string_view metric, Doubles values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (!(std::abs(mean - metric_of(measurement, metric)) < 1e-9)) refuse(measurement, metric);
  const std::size_t items = values.size();
  return {ItemClusters(items), {}, std::move(values), {}};
}

ItemMetric self_similarity_items(const Measurement& measurement, std::string_view metric) {
  const double taken_off = metric == "self_similarity" ? 0 : metric_of(measurement, "anisotropy");
  Doubles values;
  for (const double value : *find_column<Doubles>(measurement, geometry_columns::self_similarity))
    if (!std::isnan(value)) values.push_back(value - taken_off);
  return items_of_values(measurement, metric, std::move(values));
}

/// The metrics of a ranking have columns of their names.
ItemMetric retrieval_items(const Measurement& measurement, std::string_view metric) {
  return items_of_values(measurement, metric, *find_column<Doubles>(measurement, metric));
}

template <typename Values>
bool equal_columns(const Measurement& a, const Measurement& b, const char* column) {
  const Values *in_a = find_column<Values>(a, column), *in_b = find_column<Values>(b, column);
  return in_a && in_b && *in_a == *in_b;
}

}  // namespace

bool is_share_of_items(std::string_view metric) {
  const std::size_t dot = metric.find('.');
  if (dot == std::string_view::npos) return is_among(shares_of_items, metric);
  return metric.starts_with("direction_") && is_among(shares_of_items, metric.substr(0, dot)) &&
         find_length_stratum(metric.substr(dot + 1));
}

bool is_metric_of_items(std::string_view metric) {
  return is_share_of_items(metric) || metric == "auprc" || correlation_of(metric) || is_self_similarity(metric) ||
         is_retrieval_metric(metric);
}

bool has_items(const Measurement& measurement, std::string_view metric) {
  const Metric* found = find_metric(measurement.metrics, metric);
  if (!found || std::isnan(found->value)) return false;
  if (is_share_of_items(metric)) return records_correct_items(measurement, metric);
  if (metric == "auprc")
    return records_correct_items(measurement, "accuracy") &&
           find_column<std::vector<float>>(measurement, "sim_hypothesis_premise");
  if (const auto correlation = correlation_of(metric))
    return find_column<Doubles>(measurement, correlation->scores) &&
           find_column<Doubles>(measurement, sts_columns::gold) &&
           find_column<Numbers>(measurement, sts_columns::subset);
  if (is_retrieval_metric(metric)) return find_column<Doubles>(measurement, metric);
  return is_self_similarity(metric) && find_column<Doubles>(measurement, geometry_columns::self_similarity);
}

ItemMetric item_metric(const Measurement& measurement, std::string_view metric) {
  if (!has_items(measurement, metric))
    throw InputError(concat("the task ", quoted(measurement.task), " has no values of single items for ",
                            quoted(std::string(metric))));
  if (is_share_of_items(metric)) {
    return {clusters_of(measurement, counted_items(measurement, metric)), correct_items(measurement, metric), {}, {}};
  }
  if (metric == "auprc") return auprc_items(measurement);
  if (const auto correlation = correlation_of(metric)) return correlation_items(measurement, metric, *correlation);
  return is_retrieval_metric(metric) ? retrieval_items(measurement, metric)
                                     : self_similarity_items(measurement, metric);
}

std::string items_obstacle(const Measurement& a, const Measurement& b, std::string_view metric) {
  bool are_same = a.kind == b.kind;
  if (are_same && a.kind == StsTaskSettings::kind) {
    are_same = equal_columns<Doubles>(a, b, sts_columns::gold) && equal_columns<Numbers>(a, b, sts_columns::subset);
  } else if (are_same && a.kind == GeometryTaskSettings::kind) {
    are_same = equal_columns<std::vector<std::string>>(a, b, geometry_columns::token) &&
               equal_columns<Numbers>(a, b, geometry_columns::occurrences);
  } else if (are_same && a.kind == RetrievalTaskSettings::kind) {
    are_same = equal_columns<std::vector<std::string>>(a, b, retrieval_columns::query) &&
               equal_columns<Numbers>(a, b, retrieval_columns::relevant) &&
               metric_of(a, "documents") == metric_of(b, "documents");
  } else if (are_same) {
    try {
      check_same_items(a, b, is_share_of_items(metric) ? metric : "accuracy");
    } catch (const InputError& error) {
      return error.what();
    }
  }
  return are_same ? "" : concat("the task ", quoted(a.task), " has other items in one result than in the other");
}

}  // namespace gausscse
