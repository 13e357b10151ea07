#include "dist/tree_sum.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns `memory` in the shape of `shape`; it is made again where that differs.
at::Tensor reshaped(at::Tensor& memory, const at::Tensor& shape) {
  if (!memory.defined() || memory.sizes() != shape.sizes() || memory.scalar_type() != shape.scalar_type())
    memory = at::empty(shape.sizes(), shape.options());
  return memory;
}

/// Returns a matrix of the type of `like` in `memory`, which grows where it is too small.
at::Tensor matrix_in(at::Tensor& memory, std::int64_t rows, std::int64_t columns, const at::Tensor& like) {
  const std::int64_t needed = rows * columns;
  if (!memory.defined() || memory.numel() < needed || memory.scalar_type() != like.scalar_type())
    memory = at::empty({needed}, like.options());
  return memory.narrow(0, 0, needed).view({rows, columns});
}

}  // namespace

TreeSum::TreeSum(Communicator& communicator, const std::vector<std::int64_t>& leaves_of_rank,
                 std::int64_t most_elements)
    : communicator_(communicator), most_elements_(most_elements), first_leaf_{0} {
  GAUSSCSE_CHECK(static_cast<int>(leaves_of_rank.size()) == communicator.size(), "one number of leaves a rank");
  for (const std::int64_t leaves : leaves_of_rank) first_leaf_.push_back(first_leaf_.back() + leaves);
  begin();
}

// The example of tree_sum.hpp, with nodes as (level, index). Rank 0 of five leaves:
//
//     push (0, 0)   its partner (0, 1) is to come: it waits                        (0, 0)
//     push (0, 1)   merged into (0, 0): (1, 0), whose partner (1, 1) is to come    (1, 0)
//     push (0, 2)   its partner (0, 3) is to come, from rank 1                     (1, 0) (0, 2)
//
// Rank 1:
//
//     push (0, 3)   its partner is not this rank's: it waits                       (0, 3)
//     push (0, 4)   has no partner: moves up to (1, 2), which has none: (2, 1),
//                   whose left partner is not next to it here: it waits            (0, 3) (2, 1)
template <typename Merge>
void TreeSum::push(std::vector<Node>& nodes, Node node, const Merge& merge) const {
  const std::int64_t leaves = first_leaf_.back();
  nodes.push_back(node);
  while (true) {
    Node& top = nodes.back();
    const std::int64_t leaves_up = std::int64_t{1} << top.level;
    if (top.index % 2 == 0) {
      // Without a partner to the right it moves up; the root stays.
      const bool is_root = top.index == 0 && leaves_up >= leaves;
      if (is_root || (top.index + 1) * leaves_up < leaves) return;
    } else {
      if (nodes.size() < 2) return;
      const Node& left = nodes[nodes.size() - 2];
      if (left.level != top.level || left.index + 1 != top.index) return;
      merge(nodes.size() - 2);
      nodes.pop_back();
    }
    nodes.back() = {nodes.back().level + 1, nodes.back().index / 2};
  }
}

std::vector<TreeSum::Node> TreeSum::nodes_of(std::size_t rank) const {
  std::vector<Node> nodes;
  for (std::int64_t leaf = first_leaf_[rank]; leaf < first_leaf_[rank + 1]; ++leaf)
    push(nodes, {0, leaf}, [](std::size_t) {});
  return nodes;
}

void TreeSum::begin() {
  next_leaf_ = first_leaf_[static_cast<std::size_t>(communicator_.rank())];
  nodes_.clear();
}

at::Tensor TreeSum::leaf(const at::Tensor& shape) {
  GAUSSCSE_CHECK(next_leaf_ < first_leaf_[static_cast<std::size_t>(communicator_.rank()) + 1], "a leaf too many");
  if (sums_.size() == nodes_.size()) sums_.emplace_back();
  return reshaped(sums_[nodes_.size()], shape);
}

void TreeSum::add(std::int64_t leaves) {
  std::vector<Node> node;
  for (; leaves > 0; --leaves) push(node, {0, next_leaf_++}, [](std::size_t) {});
  GAUSSCSE_CHECK(node.size() == 1, "leaves added at once make up a node of the tree");
  push(nodes_, node.front(), [&](std::size_t left) { sums_[left].add_(sums_[left + 1]); });
}

std::vector<std::int64_t> TreeSum::leaves_of_nodes(std::int64_t most) const {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  std::vector<std::int64_t> counts;
  for (std::int64_t leaf = first_leaf_[rank]; leaf < first_leaf_[rank + 1]; leaf += counts.back()) {
    std::int64_t size = 1;
    // The node above begins at the same leaf, and may be cut short by the end of the tree.
    const auto leaves_of = [&](std::int64_t whole) { return std::min(whole, first_leaf_.back() - leaf); };
    while (size < first_leaf_.back() && leaf % (2 * size) == 0 && leaves_of(2 * size) <= most &&
           leaf + leaves_of(2 * size) <= first_leaf_[rank + 1])
      size *= 2;
    counts.push_back(leaves_of(size));
  }
  return counts;
}

at::Tensor TreeSum::finish(const at::Tensor& shape) {
  const auto own = static_cast<std::size_t>(communicator_.rank());
  GAUSSCSE_CHECK(next_leaf_ == first_leaf_[own + 1], "a leaf is missing");
  begin();
  if (communicator_.size() == 1) return sums_.front();
  // A rank without leaves needs room for the sum, too.
  if (sums_.empty()) sums_.emplace_back();
  at::Tensor sum = reshaped(sums_.front(), shape);
  const at::Tensor elements = sum.view(-1);
  for (std::int64_t begin = 0; begin < elements.numel();) {
    const std::int64_t slice = slice_of(elements.numel() - begin);
    add_over_ranks(begin, slice, elements);
    begin += communicator_.size() * slice;
  }
  return sum;
}

void TreeSum::reserve(const at::Tensor& shape) {
  if (communicator_.size() == 1) return;
  if (sums_.empty()) sums_.emplace_back();
  reshaped(sums_.front(), shape);
  // The first slice is the largest.
  const std::int64_t slice = slice_of(shape.numel());
  std::int64_t rows = 0;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    rows += static_cast<std::int64_t>(nodes_of(static_cast<std::size_t>(rank)).size());
  const auto own = static_cast<std::int64_t>(nodes_of(static_cast<std::size_t>(communicator_.rank())).size());
  matrix_in(send_, communicator_.size() * own, slice, shape);
  matrix_in(received_, rows, slice, shape);
}

std::int64_t TreeSum::bytes() const {
  std::size_t bytes = 0;
  for (const at::Tensor& sum : sums_)
    if (sum.defined()) bytes += sum.nbytes();
  for (const at::Tensor* slices : {&send_, &received_})
    if (slices->defined()) bytes += slices->nbytes();
  return static_cast<std::int64_t>(bytes);
}

std::int64_t TreeSum::slice_of(std::int64_t elements) const {
  std::int64_t rows = 0, most_of_a_rank = 0;
  for (std::size_t rank = 0; rank + 1 < first_leaf_.size(); ++rank) {
    const auto nodes = static_cast<std::int64_t>(nodes_of(rank).size());
    rows += nodes;
    most_of_a_rank = std::max(most_of_a_rank, nodes);
  }
  const std::int64_t ranks = communicator_.size();
  const std::int64_t most = std::max<std::int64_t>(1, most_elements_ / std::max(rows, ranks * most_of_a_rank));
  return std::min(most, (elements + ranks - 1) / ranks);
}

void TreeSum::add_over_ranks(std::int64_t begin, std::int64_t slice, const at::Tensor& sum) {
  const std::int64_t ranks = communicator_.size();
  std::vector<std::vector<Node>> nodes;
  std::vector<std::int64_t> counts, own_elements;
  std::int64_t rows = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    nodes.push_back(nodes_of(static_cast<std::size_t>(rank)));
    const auto of_rank = static_cast<std::int64_t>(nodes.back().size());
    counts.push_back(of_rank * slice);
    rows += of_rank;
    own_elements.push_back(std::clamp<std::int64_t>(sum.numel() - begin - rank * slice, 0, slice));
  }
  const auto own = static_cast<std::int64_t>(nodes[static_cast<std::size_t>(communicator_.rank())].size());
  const at::Tensor send = matrix_in(send_, ranks * own, slice, sum);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t count = own_elements[static_cast<std::size_t>(rank)];
    if (count == 0) continue;
    for (std::int64_t i = 0; i < own; ++i)
      send[rank * own + i]
          .narrow(0, 0, count)
          .copy_(sums_[static_cast<std::size_t>(i)].view(-1).narrow(0, begin + rank * slice, count));
  }
  const at::Tensor received = matrix_in(received_, rows, slice, sum);
  communicator_.all_to_all(send, counts, received);

  // The sums of all ranks are merged as if they were one rank's.
  std::vector<Node> merged;
  std::vector<std::int64_t> rows_of_merged;
  std::int64_t row = 0;
  for (const auto& of_rank : nodes) {
    for (const Node& node : of_rank) {
      rows_of_merged.push_back(row++);
      push(merged, node, [&](std::size_t left) {
        received[rows_of_merged[left]].add_(received[rows_of_merged[left + 1]]);
        rows_of_merged.pop_back();
      });
    }
  }
  GAUSSCSE_CHECK(merged.size() == 1, "the tree has one root");
  const std::int64_t count = own_elements[static_cast<std::size_t>(communicator_.rank())];
  const std::int64_t all = std::min(ranks * slice, sum.numel() - begin);
  communicator_.all_gather(received[rows_of_merged.front()].narrow(0, 0, count), own_elements,
                           sum.narrow(0, begin, all));
}

}  // namespace gausscse
