#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/item_clusters.hpp"
#include "experiments/statistics/bootstrap.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// One metric of a measurement as a function of the items that it was computed from, for bootstraps and paired tests.
///
///     const ItemFigure auprc = item_figure(measurement, "auprc");
///     auprc.of_drawn(drawn);  // of the pairs with these numbers, each as often as it stands there
struct ItemFigure {
  ItemClusters clusters;  ///< pairs of one premise in an nli task (`pair_clusters`), else each item alone
  // Where the metric is a mean of its items' values, one of these has them:
  std::vector<std::uint8_t> right;  ///< for a share: 1 if the item is right
  std::vector<double> values;       ///< for a mean of other values
  FigureOfItems of_drawn;           ///< else the metric of the drawn items

  std::size_t items() const { return clusters.items(); }
  bool is_mean() const { return !of_drawn; }
};

/// Returns whether a metric of this name is a share of right items, so that single items of two trials can be compared:
/// `accuracy`, `direction_sim`, `direction_var`, and the directions of a stratum of lengths.
bool is_share_of_items(std::string_view figure);

/// Returns whether a metric of this name can be one of items in any result: a share of right items, `auprc`, a Spearman
/// correlation of all of a task's pairs, a metric of the queries of a retrieval task, or the self-similarity of token
/// ids.
bool is_figure_of_items(std::string_view figure);

/// Returns whether this measurement has the columns that the metric was computed from, and the metric is not NaN.
bool has_items(const Measurement& measurement, std::string_view figure);

/// Returns the metric's items, in the file's order:
///
///  - a share of right items: the pairs of `correct_items`;
///  - `auprc`: the pairs that the accuracy counts, scored by similarity, with the points that give the metric;
///  - `spearman`, `spearman_mean`, `spearman_wmean` and their `symmetric_` ones: the pairs of an sts task;
///  - `recall_at_1`, `map` and the other metrics of rankings: the queries of a retrieval task;
///  - `self_similarity`: the token ids that have one; `adjusted_self_similarity` takes the anisotropy off as it is.
///
/// Throws InputError where `has_items` is false, or where columns and metric do not belong together.
ItemFigure item_figure(const Measurement& measurement, std::string_view figure);

/// Returns a metric of two measurements of one task, item by item. Throws InputError as `item_figure`, and where they
/// are of other items.
std::pair<ItemFigure, ItemFigure> paired_items(const Measurement& a, const Measurement& b, std::string_view figure);

/// Returns whether a metric of two measurements of one task is of the same items, so that a draw of the one's is a draw
/// of the other's: labels and numbers of counted pairs, gold scores, queries with as many relevant and all documents,
/// or token ids and their occurrences are equal; for a stratum of lengths also all lengths. False where one has no such
/// columns.
bool are_of_same_items(const Measurement& a, const Measurement& b, std::string_view figure);

}  // namespace gausscse
