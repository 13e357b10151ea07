#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/item_clusters.hpp"
#include "experiments/statistics/bootstrap.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// One metric of a measurement as a function of the items that it was computed from, for bootstraps and paired tests.
///
///     const ItemMetric auprc = item_metric(measurement, "auprc");
///     auprc.on_sample(drawn);  // of the pairs with these numbers, each as often as it stands there
struct ItemMetric {
  ItemClusters clusters;  ///< pairs of one premise in an nli task (`pair_clusters`), else each item alone
  // Where the metric is a mean of its items' values, one of these has them:
  std::vector<std::uint8_t> right;  ///< for a share: 1 if the item is right
  std::vector<double> values;       ///< for a mean of other values
  MetricOnSample on_sample;         ///< else the metric of the drawn items

  std::size_t items() const { return clusters.items(); }
  bool is_mean() const { return !on_sample; }
};

/// Returns whether a metric of this name is a share of right items, so that single items of two trials can be compared.
/// These are `accuracy`, `direction_sim`, `direction_var`, and the directions of a stratum of lengths.
bool is_share_of_items(std::string_view metric);

/// Returns whether a metric of this name can be one of items in any result. Such are a share of right items, `auprc`, a
/// Spearman correlation of all of a task's pairs, a metric of the queries of a retrieval task, and the self-similarity
/// of token ids.
bool is_metric_of_items(std::string_view metric);

/// Returns whether this measurement has the columns that the metric was computed from, and the metric is not NaN.
bool has_items(const Measurement& measurement, std::string_view metric);

/// Returns the metric's items, in the file's order:
///
///  - a share of right items: the pairs of `correct_items`;
///  - `auprc`: the pairs that the accuracy counts, scored by similarity, with the points that give the metric;
///  - `spearman`, `spearman_mean`, `spearman_wmean` and their `symmetric_` ones: the pairs of an sts task;
///  - `recall_at_1`, `map` and the other metrics of rankings: the queries of a retrieval task;
///  - `self_similarity`: the token ids that have one; `adjusted_self_similarity` takes the anisotropy off as it is.
///
/// Throws InputError where `has_items` is false, or where columns and metric do not belong together.
ItemMetric item_metric(const Measurement& measurement, std::string_view metric);

/// Returns an empty text where a metric of two measurements of one task is of the same items, so that one draw serves
/// both; else the reason why it is not. Equal are labels and numbers of pairs that the metric counts, gold scores,
/// queries with their numbers of relevant and of all documents, or token ids and their occurrences. For a stratum of
/// lengths all lengths are equal, too. A measurement without such columns has no items that are the same.
std::string items_obstacle(const Measurement& a, const Measurement& b, std::string_view metric);

}  // namespace gausscse
