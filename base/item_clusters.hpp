#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/philox.hpp"

namespace gausscse {

/// Items of a set in clusters that depend on each other, such as the pairs of one premise. A bootstrap draws whole
/// clusters (the cluster bootstrap: Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8).
///
///     items     0 1 2 3 4 5
///     cluster   7 7 2 7 2 9        three clusters; a draw of {2, 9, 2} has the items 2 4 5 2 4
class ItemClusters {
 public:
  /// Makes a cluster of each item.
  explicit ItemClusters(std::size_t items);

  /// Makes a cluster of the items with equal values.
  explicit ItemClusters(std::span<const std::int64_t> cluster_of_item);

  std::size_t items() const { return items_.size(); }
  std::size_t clusters() const { return begin_.size() - 1; }

  /// Draws as many clusters as there are, with replacement, and writes the numbers of their items to `drawn`, each as
  /// often as it was drawn.
  void draw(PhiloxStream& random, std::vector<std::uint32_t>& drawn) const;

  auto operator<=>(const ItemClusters&) const = default;  // NOLINT(modernize-use-nullptr): the compiler writes a 0

 private:
  std::vector<std::uint32_t> items_;  ///< by cluster
  std::vector<std::uint32_t> begin_;  ///< first place of each cluster in `items_`, and the end
};

}  // namespace gausscse
