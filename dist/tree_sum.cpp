#include "dist/tree_sum.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

TreeSum::TreeSum(Communicator& communicator, const std::vector<std::int64_t>& leaves_of_rank,
                 std::int64_t elements_at_once)
    : communicator_(communicator), first_leaf_{0}, elements_at_once_(elements_at_once) {
  GAUSSCSE_CHECK(static_cast<int>(leaves_of_rank.size()) == communicator.size(), "one number of leaves a rank");
  for (const std::int64_t leaves : leaves_of_rank) first_leaf_.push_back(first_leaf_.back() + leaves);
  next_leaf_ = first_leaf_[static_cast<std::size_t>(communicator.rank())];
}

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

std::vector<TreeSum::Node> TreeSum::nodes_of(std::int64_t first, std::int64_t last) const {
  std::vector<Node> nodes;
  for (std::int64_t leaf = first; leaf < last; ++leaf) push(nodes, {0, leaf}, [](std::size_t) {});
  return nodes;
}

void TreeSum::add(const at::Tensor& leaf) {
  GAUSSCSE_CHECK(next_leaf_ < first_leaf_[static_cast<std::size_t>(communicator_.rank()) + 1], "a leaf too many");
  if (sums_.size() == nodes_.size()) sums_.push_back(at::empty_like(leaf));
  sums_[nodes_.size()].copy_(leaf);
  push(nodes_, {0, next_leaf_++}, [&](std::size_t left) { sums_[left].add_(sums_[left + 1]); });
}

void TreeSum::finish(at::Tensor out) {
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  const auto own = static_cast<std::size_t>(communicator_.rank());
  GAUSSCSE_CHECK(next_leaf_ == first_leaf_[own + 1], "a leaf is missing");
  std::vector<std::vector<Node>> nodes(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) nodes[rank] = nodes_of(first_leaf_[rank], first_leaf_[rank + 1]);
  const at::Tensor flat = out.view(-1);
  for (std::int64_t begin = 0; begin < flat.numel(); begin += elements_at_once_) {
    const std::int64_t size = std::min(elements_at_once_, flat.numel() - begin);
    const at::Tensor local = at::empty({static_cast<std::int64_t>(nodes_.size()), size}, out.options());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      local[static_cast<std::int64_t>(i)].copy_(sums_[i].view(-1).narrow(0, begin, size));
    std::vector<std::int64_t> counts;
    std::int64_t total = 0;
    for (const auto& of_rank : nodes) {
      counts.push_back(static_cast<std::int64_t>(of_rank.size()) * size);
      total += counts.back();
    }
    const at::Tensor all = at::empty({total / size, size}, out.options());
    communicator_.all_gather(local, counts, all);

    // The sums of all ranks are merged as if they were one rank's.
    std::vector<Node> merged;
    std::vector<std::int64_t> rows;  // of the merged nodes, in `all`
    std::int64_t row = 0;
    for (const auto& of_rank : nodes) {
      for (const Node& node : of_rank) {
        rows.push_back(row++);
        push(merged, node, [&](std::size_t left) {
          all[rows[left]].add_(all[rows[left + 1]]);
          rows.pop_back();
        });
      }
    }
    GAUSSCSE_CHECK(merged.size() == 1, "the tree has one root");
    flat.narrow(0, begin, size).copy_(all[rows.front()]);
  }
  nodes_.clear();
  next_leaf_ = first_leaf_[own];
}

}  // namespace gausscse
