#include "dist/communicator.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

#include "dist/row_gather.hpp"

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
  const std::int64_t own = uneven_shares(size)[static_cast<std::size_t>(rank)];
  const at::Tensor numbers = at::arange(2 * gather.total_rows() * 3, GetParam()).view({2, gather.total_rows(), 3});
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

}  // namespace
}  // namespace gausscse
