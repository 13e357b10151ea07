#include "data/tokenizer/byte_trie.hpp"

#include <algorithm>

namespace gausscse {

namespace {

constexpr std::uint32_t dense_from = 17;  // children; with fewer, comparing the labels is as fast and takes less memory

struct PendingNode {
  std::size_t first;  // the keys that pass through the node
  std::size_t last;
  std::size_t depth;
};

}  // namespace

ByteTrie::ByteTrie(std::vector<std::pair<std::string_view, std::uint32_t>> entries) {
  if (!std::is_sorted(entries.begin(), entries.end())) std::sort(entries.begin(), entries.end());
  // Breadth first, so that a node's children get consecutive numbers.
  std::vector<PendingNode> pending{{0, entries.size(), 0}};
  nodes_.emplace_back();
  labels_.push_back(0);
  for (std::size_t node = 0; node < pending.size(); ++node) {
    auto [first, last, depth] = pending[node];
    if (first < last && entries[first].first.size() == depth) nodes_[node].value = entries[first++].second;
    nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (first < last) {
      const char label = entries[first].first[depth];
      std::size_t end = first;
      while (end < last && entries[end].first[depth] == label) ++end;
      nodes_.emplace_back();
      labels_.push_back(static_cast<unsigned char>(label));
      pending.push_back({first, end, depth + 1});
      ++nodes_[node].child_count;
      first = end;
    }
    if (nodes_[node].child_count < dense_from) continue;
    nodes_[node].dense_row = static_cast<std::uint32_t>(dense_rows_.size());
    dense_rows_.emplace_back().fill(none);
    for (std::uint32_t i = 0; i < nodes_[node].child_count; ++i) {
      const std::uint32_t child = nodes_[node].first_child + i;
      dense_rows_.back()[labels_[child]] = child;
    }
  }
}

ByteTrie::Node ByteTrie::walk(std::string_view bytes) const {
  Node node = root;
  for (std::size_t i = 0; i < bytes.size() && node != none; ++i)
    node = child(node, static_cast<unsigned char>(bytes[i]));
  return node;
}

std::uint32_t ByteTrie::find(std::string_view bytes) const {
  const Node node = walk(bytes);
  return node == none ? none : value(node);
}

}  // namespace gausscse
