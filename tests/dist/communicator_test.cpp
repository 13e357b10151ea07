#include "dist/communicator.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "dist/agreement.hpp"
#include "dist/monitored_communicator.hpp"
#include "dist/row_gather.hpp"
#include "dist/tree_sum.hpp"

namespace gausscse {
namespace {

/// Rank r gives r % 3 rows: shares differ, and some are empty.
std::vector<std::int64_t> uneven_shares(int ranks) {
  std::vector<std::int64_t> shares;
  for (int r = 0; r < ranks; ++r) shares.push_back((r + 1) % 3);
  return shares;
}

class CommunicatorTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  std::unique_ptr<Communicator> communicator_ = make_mpi_communicator();
  at::Tensor filled(std::int64_t count, double value) { return at::full({count}, value, GetParam()); }
};

TEST_P(CommunicatorTest, AllReduceSumsOverRanks) {
  const int size = communicator_->size();
  at::Tensor data = at::arange(1000, GetParam()) * (communicator_->rank() + 1);
  communicator_->all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, at::arange(1000, GetParam()) * (size * (size + 1) / 2)));
}

TEST_P(CommunicatorTest, AllGatherPutsUnevenPartsInRankOrder) {
  const auto counts = uneven_shares(communicator_->size());
  std::int64_t total = 0;
  for (const auto count : counts) total += count;
  at::Tensor out = filled(total, -1);
  communicator_->all_gather(filled(counts[static_cast<std::size_t>(communicator_->rank())], communicator_->rank()),
                            counts, out);
  std::int64_t i = 0;
  for (std::size_t r = 0; r < counts.size(); ++r)
    for (std::int64_t k = 0; k < counts[r]; ++k) EXPECT_EQ(out[i++].item<double>(), static_cast<double>(r));
}

TEST_P(CommunicatorTest, ReduceScatterGivesEachRankTheSumOfItsPart) {
  const int size = communicator_->size();
  const auto counts = uneven_shares(size);
  std::int64_t total = 0, first = 0;
  for (int r = 0; r < size; ++r) {
    if (r == communicator_->rank()) first = total;
    total += counts[static_cast<std::size_t>(r)];
  }
  const std::int64_t own = counts[static_cast<std::size_t>(communicator_->rank())];
  at::Tensor out = filled(own, -1);
  communicator_->reduce_scatter_sum(at::arange(total, GetParam()) + communicator_->rank(), counts, out);
  for (std::int64_t k = 0; k < own; ++k)
    EXPECT_EQ(out[k].item<double>(), static_cast<double>(size * (first + k) + size * (size - 1) / 2));
}

TEST_P(CommunicatorTest, AllToAllGivesEachRankItsPartOfEveryRank) {
  const auto size = static_cast<std::size_t>(communicator_->size());
  const auto rank = static_cast<std::size_t>(communicator_->rank());
  const auto counts = uneven_shares(communicator_->size());
  const auto value = [](std::size_t from, std::size_t to, std::int64_t k) {
    return static_cast<double>(100 * from + 10 * to) + static_cast<double>(k);
  };
  const at::Tensor data = filled(static_cast<std::int64_t>(size) * counts[rank], -1);
  std::int64_t i = 0, total = 0;
  for (std::size_t to = 0; to < size; ++to)
    for (std::int64_t k = 0; k < counts[rank]; ++k) data[i++].fill_(value(rank, to, k));
  for (const auto count : counts) total += count;
  const at::Tensor out = filled(total, -1);
  communicator_->all_to_all(data, counts, out);
  i = 0;
  for (std::size_t from = 0; from < size; ++from)
    for (std::int64_t k = 0; k < counts[from]; ++k) EXPECT_EQ(out[i++].item<double>(), value(from, rank, k));
}

TEST_P(CommunicatorTest, BroadcastGivesTheRootsData) {
  for (int root = 0; root < communicator_->size(); ++root) {
    at::Tensor data = filled(77, communicator_->rank());
    communicator_->broadcast(data, root);
    EXPECT_TRUE(at::equal(data, filled(77, root)));
  }
}

TEST_P(CommunicatorTest, GatherOfRowsHasExactGradients) {
  const int size = communicator_->size(), rank = communicator_->rank();
  RowGather gather(*communicator_, uneven_shares(size));
  const std::vector<std::int64_t> shares = uneven_shares(size);
  const std::int64_t own = shares[static_cast<std::size_t>(rank)];
  const std::int64_t all = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  const at::Tensor numbers = at::arange(2 * all * 3, GetParam()).view({2, all, 3});
  const at::Tensor local = numbers.narrow(1, gather.first_row(), own).contiguous();
  EXPECT_TRUE(at::equal(gather.gather(local), numbers));
  // Rank r's loss is r+1 times the sum of numbers * rows.
  const at::Tensor gradient = gather.scatter_gradient(numbers * (rank + 1));
  EXPECT_TRUE(at::equal(gradient, local * (size * (size + 1) / 2)));
}

INSTANTIATE_TEST_SUITE_P(Types, CommunicatorTest, testing::Values(at::kFloat, at::kDouble));

TEST(CommunicatorText, AllRanksSeeAllTexts) {
  const auto communicator = make_mpi_communicator();
  const std::string own(static_cast<std::size_t>(communicator->rank()) * 5, 'x');
  const auto texts = communicator->all_gather_text(own);
  ASSERT_EQ(static_cast<int>(texts.size()), communicator->size());
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r * 5, 'x'));
}

TEST(CommunicatorSelf, EqualsMpiOfOneRank) {
  const auto communicator = make_self_communicator();
  EXPECT_EQ(communicator->size(), 1);
  RowGather gather(*communicator, {4});
  const at::Tensor rows = at::arange(24, at::kFloat).view({2, 4, 3});
  EXPECT_TRUE(at::equal(gather.gather(rows), rows));
  EXPECT_TRUE(at::equal(gather.scatter_gradient(rows), rows));
}

TEST(CommunicatorLocal, RanksOfOneNodeAreNumberedApart) {
  const auto communicator = make_mpi_communicator();
  EXPECT_LT(communicator->local_rank(), communicator->local_size());
  EXPECT_LE(communicator->local_size(), communicator->size());
}

/// The sum of the leaves as the tree defines it.
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

TEST(TreeSum, HasTheSameBitsForAnyRanks) {
  const auto ranks = make_mpi_communicator();
  const auto size = static_cast<std::size_t>(ranks->size());
  for (std::int64_t leaves = 1; leaves <= 13; ++leaves) {
    std::vector<at::Tensor> all;
    for (std::int64_t i = 0; i < leaves; ++i)
      all.push_back(at::sin(at::arange(1001, at::kFloat) * static_cast<double>(i + 1)) * std::pow(10.0, i % 5));
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

TEST(MonitoredCommunicator, CountsAndPassesOn) {
  MonitoredCommunicator ranks(make_mpi_communicator(), nullptr, true);
  const at::Tensor data = at::ones({5}, at::kFloat);
  ranks.all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, at::full({5}, ranks.size(), at::kFloat)));
  ranks.barrier();
  ranks.local_barrier();
  ranks.all_reduce_sum(data);
  EXPECT_EQ(ranks.all_gather_text("x").size(), static_cast<std::size_t>(ranks.size()));
  EXPECT_EQ(counts_text(ranks.counts()), "barrier 1, local_barrier 1, all_reduce_sum 2, all_gather_text 1");
}

TEST(MonitoredCommunicator, NamesTheCallsOfRanksThatDiffer) {
  MonitoredCommunicator ranks(make_mpi_communicator(), nullptr, true);
  if (ranks.size() == 1) GTEST_SKIP() << "one rank cannot differ";
  const at::Tensor data = at::ones({ranks.is_root() ? 5 : 6}, at::kFloat);
  ranks.set_step(7);
  try {
    ranks.all_reduce_sum(data);
    FAIL() << "different sizes were summed";
  } catch (const SystemError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("rank 0 all_reduce_sum of 5 elements (collective 1, step 7)"), std::string::npos) << message;
    EXPECT_NE(message.find("rank 1 all_reduce_sum of 6 elements"), std::string::npos) << message;
  }
  try {
    if (ranks.is_root())
      ranks.barrier();
    else
      ranks.broadcast(data, 0);
    FAIL() << "a barrier met a broadcast";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 0 barrier (collective 2"), std::string::npos) << error.what();
  }
}

TEST(Agreement, NamesTheRankAndTheLineThatDiffers) {
  const auto ranks = make_mpi_communicator();
  check_agreement(*ranks, "the configuration", "same\nfor all\n");
  if (ranks->size() == 1) return;
  const bool last = ranks->rank() + 1 == ranks->size();
  try {
    check_agreement(*ranks, "the configuration", last ? "a: 1\nb: 3\n" : "a: 1\nb: 2\n");
    FAIL() << "ranks that differ were accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("rank 0 has \"b: 2\""), std::string::npos) << message;
    EXPECT_NE(message.find(concat("rank ", ranks->size() - 1, " has \"b: 3\"")), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace gausscse
