#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "dist/communicator.hpp"

namespace gausscse {

/// Sum of tensors, the leaves 0, 1, 2, ... of a binary tree, in the order of that tree. So it has the same bits for any
/// number of ranks, and for any division of the leaves among them. Leaves 2k and 2k+1 are added first, then pairs of
/// those sums, and so on; a sum without a partner moves up as it is. Five leaves on two ranks, where rank 0 holds
/// three:
///
///     level 3   [      root       ]
///     level 2   [     0      ] [ 1 ]
///     level 1   [  0  ] [  1  ] [ 2 ]     rank 0 is left with the nodes (level 1, 0) and (0, 2),
///     leaves    [0] [1] [2] | [3] [4]     rank 1 with (0, 3) and (2, 1): leaf 4 has no partner and moves up.
///               rank 0        rank 1      The four nodes, in this order, are merged over the ranks:
///                                         (0, 2) + (0, 3) = (1, 1), (1, 0) + (1, 1) = (2, 0), + (2, 1) = root.
///
/// Each rank does so for its own slice of the elements; then all gather the slices.
///
/// Holds memory for at most 1 + log2(own leaves) tensors, and between ranks for two slices of `most_elements`, kept
/// from sum to sum.
class TreeSum {
 public:
  /// Prepares sums of leaves_of_rank[r] leaves of rank r, one after another in rank order (0 is allowed). No collective
  /// moves more than the larger of `most_elements` elements and one element of each node: larger sums are added up
  /// slice by slice, with the same bits.
  TreeSum(Communicator& communicator, const std::vector<std::int64_t>& leaves_of_rank,
          std::int64_t most_elements = std::int64_t{1} << 26);

  /// Begins with this rank's first leaf; leaves that have been added are forgotten.
  void begin();
  /// Takes the memory that `finish` needs for leaves like `shape`: afterwards that takes none, between its collectives.
  void reserve(const at::Tensor& shape);
  /// Returns memory for the next values, which the caller fills before it calls `add`. All leaves of a sum, on all
  /// ranks, have the size and type of `shape`.
  at::Tensor leaf(const at::Tensor& shape);
  /// Adds the values that `leaf` gave: this rank's next leaf, or the sum over its next `leaves` leaves, in the order of
  /// the tree, that are all leaves of a node.
  void add(std::int64_t leaves = 1);
  /// Returns this rank's leaves as nodes of the tree with at most `most` leaves each: their numbers of leaves.
  std::vector<std::int64_t> leaves_of_nodes(std::int64_t most) const;
  /// Returns the sum of all leaves of all ranks, in the shape of `shape`, on every rank; valid until the next `leaf` or
  /// `finish`. Begins again afterwards.
  at::Tensor finish(const at::Tensor& shape);
  /// Returns the bytes that stay allocated between sums.
  std::int64_t bytes() const;

 private:
  /// A sum over the leaves [index << level, (index + 1) << level), or as many of them as there are.
  struct Node {
    int level;
    std::int64_t index;
  };

  /// Appends a node and moves it up as far as it can: past a missing right partner as it is, else into its left
  /// partner. For the latter it calls `merge(i)`: node i becomes the sum of nodes i and i+1.
  template <typename Merge>
  void push(std::vector<Node>& nodes, Node node, const Merge& merge) const;
  /// Returns the nodes that a rank is left with after adding its leaves.
  std::vector<Node> nodes_of(std::size_t rank) const;
  /// Returns the number of elements, of the last `elements` of a sum, that a rank adds up at a time, so that no
  /// collective is too large.
  std::int64_t slice_of(std::int64_t elements) const;
  /// Adds up the top of the tree, over the nodes of all ranks, for elements from `begin` on. Each rank adds up a slice
  /// of `slice` of them, then all gather the slices into `sum`, [elements], which may be the first of the rank's own
  /// sums. Two collectives, which move about as many bytes as an all-reduce.
  void add_over_ranks(std::int64_t begin, std::int64_t slice, const at::Tensor& sum);

  Communicator& communicator_;
  std::int64_t most_elements_;
  std::vector<std::int64_t> first_leaf_;  ///< first leaf of each rank; then the number of all leaves
  std::int64_t next_leaf_;
  std::vector<Node> nodes_;
  std::vector<at::Tensor> sums_;  ///< sums of the nodes, and memory behind them; the first becomes that of all ranks
  at::Tensor send_, received_;    ///< memory for sums over ranks
};

}  // namespace gausscse
