#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "dist/communicator.hpp"

namespace gausscse {

/// Adds up tensors, the leaves 0, 1, 2, ... of a binary tree, in the order of that tree, whichever ranks hold which
/// leaves: the sum has the same bits for any number of ranks. Leaves 2k and 2k+1 are added first, then pairs of those
/// sums, and so on; a sum without a partner moves up as it is.
class TreeSum {
 public:
  /// Rank r holds leaves_of_rank[r] leaves, one after another in rank order (0 is allowed). Each collective moves at
  /// most `elements_at_once` elements of the result.
  TreeSum(Communicator& communicator, const std::vector<std::int64_t>& leaves_of_rank, std::int64_t elements_at_once);

  /// Adds this rank's next leaf, which is copied; all have the same number of elements.
  void add(const at::Tensor& leaf);
  /// out = the sum of all leaves of all ranks, on every rank. Begins anew afterwards.
  void finish(at::Tensor out);

 private:
  /// A sum over the leaves [index << level, (index + 1) << level), or as many of them as there are.
  struct Node {
    int level;
    std::int64_t index;
  };

  /// Appends a node, and merges it with those before it while they are its left partners; `merge(i)` is told that
  /// nodes i and i+1 become one.
  template <typename Merge>
  void push(std::vector<Node>& nodes, Node node, const Merge& merge) const;
  /// The nodes that a rank is left with after adding its leaves.
  std::vector<Node> nodes_of(std::int64_t first, std::int64_t last) const;

  Communicator& communicator_;
  std::vector<std::int64_t> first_leaf_;  ///< of each rank; then the number of all leaves
  std::int64_t elements_at_once_;
  std::int64_t next_leaf_;
  std::vector<Node> nodes_;
  std::vector<at::Tensor> sums_;  ///< of the nodes, and memory behind them
};

}  // namespace gausscse
