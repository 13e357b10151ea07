#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// An immutable map from byte strings to numbers that is walked byte by byte. A walk costs O(length) for any set of
/// keys.
class ByteTrie {
 public:
  using Node = std::uint32_t;
  /// "No such node", and "no value here".
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr Node root = 0;

  /// Makes the trie without keys.
  ByteTrie() : ByteTrie(std::vector<std::pair<std::string_view, std::uint32_t>>{}) {}

  /// Makes a trie of these keys, which must be distinct; values must not be `none`. The keys' bytes are not needed
  /// afterwards.
  explicit ByteTrie(std::vector<std::pair<std::string_view, std::uint32_t>> entries);

  /// Returns the node `byte` leads to from `node`, or `none`.
  Node child(Node node, unsigned char byte) const {
    const NodeData& data = nodes_[node];
    if (data.dense_row != none) return dense_rows_[data.dense_row][byte];
    const unsigned char* labels = labels_.data() + data.first_child;
    for (std::uint32_t i = 0; i < data.child_count; ++i)
      if (labels[i] == byte) return data.first_child + i;
    return none;
  }

  /// Returns the value of the key that ends at `node`, or `none`.
  std::uint32_t value(Node node) const { return nodes_[node].value; }

  /// Returns the node that `bytes` leads to from the root, or `none`.
  Node walk(std::string_view bytes) const;

  /// Returns the value of the key `bytes`, or `none`.
  std::uint32_t find(std::string_view bytes) const;

  struct Prefix {
    std::size_t length;   ///< bytes; 0 where no key fits
    std::uint32_t value;  ///< `none` where no key fits
  };

  /// Returns the longest key, other than the empty one, that `text` begins with once each of its bytes went through
  /// `map`; keys are read from the node `start` on.
  template <typename Map>
  Prefix longest_prefix(std::string_view text, Node start, const Map& map) const {
    Prefix best{0, none};
    Node node = start;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, map(static_cast<unsigned char>(text[i])));
      if (node == none) break;
      if (value(node) != none) best = {i + 1, value(node)};
    }
    return best;
  }

  Prefix longest_prefix(std::string_view text, Node start = root) const {
    return longest_prefix(text, start, [](unsigned char byte) { return byte; });
  }

 private:
  struct NodeData {
    std::uint32_t value = none;
    std::uint32_t first_child = 0;  // children lie side by side, in the order of their labels
    std::uint32_t child_count = 0;
    std::uint32_t dense_row = none;  // nodes with many children are looked up by one access
  };

  std::vector<NodeData> nodes_;
  std::vector<unsigned char> labels_;  // by node: the byte that leads to it
  std::vector<std::array<Node, 256>> dense_rows_;
};

}  // namespace gausscse
