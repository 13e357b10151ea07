#include "dist/tree_sum.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>

#include "dist/monitored_communicator.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the sum of the leaves as the tree defines it.
at::Tensor tree_of(const std::vector<at::Tensor>& leaves) {
  std::vector<at::Tensor> level = leaves;
  while (level.size() > 1) {
    std::vector<at::Tensor> above;
    for (std::size_t i = 0; i < level.size(); i += 2)
      above.push_back(i + 1 < level.size() ? level[i] + level[i + 1] : level[i]);
    level = above;
  }
  return level.front();
}

/// Remembers the largest collective.
class LargestCall : public CollectiveWatch {
 public:
  explicit LargestCall(std::int64_t& elements) : elements_(elements) {}
  void enter(const CollectiveCall& call) override { elements_ = std::max(elements_, call.elements); }
  void leave() override {}
  void set_long_operation(bool) override {}

 private:
  std::int64_t& elements_;
};

std::vector<at::Tensor> leaves_of_any_size(std::int64_t count, std::int64_t elements) {
  std::vector<at::Tensor> leaves;
  for (std::int64_t i = 0; i < count; ++i)
    leaves.push_back(at::sin(at::arange(elements, at::kFloat) * static_cast<double>(i + 1)) * std::pow(10.0, i % 5));
  return leaves;
}

TEST(TreeSum, HasTheSameBitsForAnyRanks) {
  const auto ranks = make_mpi_communicator();
  const auto size = static_cast<std::size_t>(ranks->size());
  for (std::int64_t leaves = 1; leaves <= 13; ++leaves) {
    const std::vector<at::Tensor> all = leaves_of_any_size(leaves, 1001);
    // All leaves on one rank, and dealt out in turn, the last rank getting the rest.
    std::vector<std::int64_t> uneven(size, leaves / static_cast<std::int64_t>(size)), one(size, 0);
    uneven.back() += leaves % static_cast<std::int64_t>(size);
    one[size / 2] = leaves;
    for (const auto& shares : {uneven, one}) {
      TreeSum sum(*ranks, shares);
      const auto own = static_cast<std::size_t>(ranks->rank());
      const auto first = std::accumulate(shares.begin(), shares.begin() + ranks->rank(), std::int64_t{0});
      // Leaf by leaf, and nodes at a time.
      for (const std::int64_t most : {1, 2, 5, 8, 13}) {
        auto next = all.begin() + first;
        for (const std::int64_t count : sum.leaves_of_nodes(most)) {
          EXPECT_LE(count, most);
          sum.leaf(all.front()).copy_(tree_of({next, next + count}));
          sum.add(count);
          next += count;
        }
        EXPECT_EQ(next, all.begin() + first + shares[own]);
        const at::Tensor out = sum.finish(all.front());
        EXPECT_TRUE(at::equal(out, tree_of(all))) << leaves << " leaves, " << most;
      }
    }
  }
}

TEST(TreeSum, TakesAllLeavesOfOneRankAtOnce) {
  const auto alone = make_self_communicator();
  for (std::int64_t leaves = 1; leaves <= 13; ++leaves)
    EXPECT_EQ(TreeSum(*alone, {leaves}).leaves_of_nodes(leaves), std::vector<std::int64_t>{leaves});
  TreeSum sum(*alone, {8});
  EXPECT_EQ(sum.leaves_of_nodes(5), (std::vector<std::int64_t>{4, 4}));
  sum.leaf(at::ones({3}));
  EXPECT_THROW(sum.add(3), std::logic_error) << "leaves 0 to 2 are no node";
}

TEST(TreeSum, ReportsTheBytesThatItHolds) {
  const auto ranks = make_mpi_communicator(), alone = make_self_communicator();
  const at::Tensor leaf = at::ones({1001}, at::kDouble);
  TreeSum of_one(*alone, {8});
  EXPECT_EQ(of_one.bytes(), 0);
  for (int i = 0; i < 8; ++i) {
    of_one.leaf(leaf).copy_(leaf);
    of_one.add();
  }
  EXPECT_EQ(of_one.bytes(), 8 * 4 * 1001) << "nodes of four, two and one leaf, and the last leaf";
  // Two leaves a rank make one node. Every rank gets a slice of all of them, and sends as much.
  const std::int64_t size = ranks->size(), slice = (1001 + size - 1) / size;
  TreeSum sum(*ranks, std::vector<std::int64_t>(static_cast<std::size_t>(size), 2));
  for (int i = 0; i < 2; ++i) {
    sum.leaf(leaf).copy_(leaf);
    sum.add();
  }
  EXPECT_TRUE(at::equal(sum.finish(leaf), leaf * (2 * size)));
  EXPECT_EQ(sum.bytes(), 8 * (2 * 1001 + (size > 1 ? 2 * size * slice : 0)));
}

TEST(TreeSum, HasTheSameBitsSliceBySlice) {
  std::int64_t largest = 0;
  MonitoredCommunicator ranks(make_mpi_control_group(), make_mpi_collectives(), std::make_unique<LargestCall>(largest),
                              false);
  const std::int64_t size = ranks.size(), leaves = 13, elements = 1001;
  const std::vector<at::Tensor> all = leaves_of_any_size(leaves, elements);
  const at::Tensor expected = tree_of(all);
  std::vector<std::int64_t> shares(static_cast<std::size_t>(size), leaves / size);
  shares.back() += leaves % size;
  const std::int64_t first = ranks.rank() * (leaves / size), own = shares[static_cast<std::size_t>(ranks.rank())];
  // Down to one element of each of the nodes, of which no rank has more than four.
  for (const std::int64_t most : {std::int64_t{1}, 4 * size, std::int64_t{100}, std::int64_t{999}}) {
    TreeSum sum(ranks, shares, most);
    // The second sum finds the memory of the first.
    for (int i = 0; i < 2; ++i) {
      largest = 0;
      for (std::int64_t leaf = first; leaf < first + own; ++leaf) {
        sum.leaf(expected).copy_(all[static_cast<std::size_t>(leaf)]);
        sum.add();
      }
      EXPECT_TRUE(at::equal(sum.finish(expected), expected)) << most;
      if (size > 1) {
        EXPECT_GT(largest, 0);
        EXPECT_LE(largest, std::max(most, 4 * size)) << most;
      }
    }
  }
}

}  // namespace
}  // namespace gausscse
