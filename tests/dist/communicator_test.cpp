#include "dist/communicator.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include "dist/row_gather.hpp"
#include "dist/row_ring.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Rank r gives r % 3 rows: shares differ, and some are empty.
std::vector<std::int64_t> uneven_shares(int ranks) {
  std::vector<std::int64_t> shares;
  for (int r = 0; r < ranks; ++r) shares.push_back((r + 1) % 3);
  return shares;
}

/// With tensors that one call of MPI takes, and ones that take several, the last of fewer elements.
class CommunicatorTest : public testing::TestWithParam<std::tuple<at::ScalarType, std::int64_t>> {
 protected:
  at::ScalarType type_ = std::get<0>(GetParam());
  std::unique_ptr<Communicator> communicator_ = make_mpi_communicator(std::get<1>(GetParam()));
  at::Tensor filled(std::int64_t count, double value) { return at::full({count}, value, type_); }
};

TEST_P(CommunicatorTest, AllReduceSumsOverRanks) {
  const int size = communicator_->size();
  at::Tensor data = at::arange(1000, type_) * (communicator_->rank() + 1);
  communicator_->all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, at::arange(1000, type_) * (size * (size + 1) / 2)));
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
  communicator_->reduce_scatter_sum(at::arange(total, type_) + communicator_->rank(), counts, out);
  for (std::int64_t k = 0; k < own; ++k)
    EXPECT_EQ(out[k].item<double>(),
              static_cast<double>(size * (first + k)) + 0.5 * static_cast<double>(size * (size - 1)));
}

TEST_P(CommunicatorTest, RingShiftGivesEachRankWhatTheOneBeforeHas) {
  const int size = communicator_->size(), rank = communicator_->rank(), before = (rank + size - 1) % size;
  std::vector<std::int64_t> counts = uneven_shares(size);
  for (std::int64_t& count : counts) count *= 4;
  const std::int64_t received = counts[static_cast<std::size_t>(before)];
  const at::Tensor out = filled(received, -1);
  communicator_->ring_shift(at::arange(counts[static_cast<std::size_t>(rank)], type_) + 10 * rank, counts, out);
  for (std::int64_t k = 0; k < received; ++k)
    EXPECT_EQ(out[k].item<double>(), static_cast<double>(k) + 10 * before) << k;
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
    at::Tensor data = at::arange(77, type_) + 100 * communicator_->rank();
    communicator_->broadcast(data, root);
    EXPECT_TRUE(at::equal(data, at::arange(77, type_) + 100 * root));
  }
}

/// Every rank adds its number plus one, times the rows that pass by: a rank's gradient is its rows times the sum.
TEST_P(CommunicatorTest, RowsAroundTheRingPassEveryRankAndTheirGradientComesHome) {
  const int size = communicator_->size(), rank = communicator_->rank();
  std::vector<std::int64_t> shares = uneven_shares(size);
  for (std::int64_t& share : shares) share *= 2;
  const std::int64_t all = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  const std::int64_t first = std::accumulate(shares.begin(), shares.begin() + rank, std::int64_t{0});
  const at::Tensor numbers = at::arange(2 * all * 3, type_).view({2, all, 3});
  const at::Tensor own = numbers.narrow(1, first, shares[static_cast<std::size_t>(rank)]).contiguous();
  const at::Tensor own_before = own.clone();
  // The largest share is of 4 rows (2 of one rank alone): all at once, one by one, and three with a rest.
  const std::int64_t most = size == 1 ? 2 : 4;
  for (const auto& [rows_at_once, tours] :
       {std::pair{usual_rows_of_ring, std::int64_t{1}}, {1, most}, {3, (most + 2) / 3}}) {
    RowRing ring(*communicator_, shares, rows_at_once);
    EXPECT_EQ(ring.bytes_that_travel(own), 2 * std::min(rows_at_once, most) * 2 * 3 * own.element_size())
        << "two places of two groups of so many rows of three";
    const at::Tensor seen = at::zeros_like(numbers);
    std::vector<std::int64_t> firsts;
    std::int64_t largest = 0;
    ring.visit(own, [&](const at::Tensor& rows, std::int64_t begin) {
      seen.narrow(1, begin, rows.size(1)).add_(rows);
      firsts.push_back(begin);
      largest = std::max(largest, rows.size(1));
    });
    EXPECT_TRUE(at::equal(seen, numbers));
    EXPECT_LE(largest, rows_at_once);
    ASSERT_EQ(static_cast<std::int64_t>(firsts.size()), tours * size);
    EXPECT_EQ(firsts.front(), first) << "a rank's own rows come first";
    const at::Tensor gradient = at::ones_like(own);
    at::Tensor met = at::zeros_like(numbers);
    ring.visit_with_gradient(own, gradient, [&](const at::Tensor& rows, std::int64_t begin, const at::Tensor& by_rows) {
      met.narrow(1, begin, rows.size(1)).add_(rows);
      by_rows.add_(rows, rank + 1);
    });
    EXPECT_TRUE(at::equal(met, numbers));
    EXPECT_TRUE(at::equal(gradient, own * (size * (size + 1) / 2) + 1)) << "added to what was there";
    EXPECT_TRUE(at::equal(own, own_before));
  }
}

TEST(CommunicatorIntegers, GoWithTheRowsOfAllRanks) {
  const auto communicator = make_mpi_communicator();
  const std::vector<std::int64_t> shares = uneven_shares(communicator->size());
  const std::int64_t own = shares[static_cast<std::size_t>(communicator->rank())];
  const std::int64_t large = (std::int64_t{1} << 53) - 10 + communicator->rank();
  const at::Tensor all = RowGather(*communicator, shares).gather_integers(at::full({own, 2}, large, at::kLong));
  std::int64_t row = 0;
  for (std::size_t r = 0; r < shares.size(); ++r)
    for (std::int64_t k = 0; k < shares[r]; ++k, ++row)
      EXPECT_EQ(all[row][1].item<std::int64_t>(), (std::int64_t{1} << 53) - 10 + static_cast<std::int64_t>(r));
  EXPECT_EQ(all.size(0), row);
}

TEST_P(CommunicatorTest, GatherOfRowsHasExactGradients) {
  const int size = communicator_->size(), rank = communicator_->rank();
  RowGather gather(*communicator_, uneven_shares(size));
  const std::vector<std::int64_t> shares = uneven_shares(size);
  const std::int64_t own = shares[static_cast<std::size_t>(rank)];
  const std::int64_t all = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  const std::int64_t first = std::accumulate(shares.begin(), shares.begin() + rank, std::int64_t{0});
  const at::Tensor numbers = at::arange(2 * all * 3, type_).view({2, all, 3});
  const at::Tensor local = numbers.narrow(1, first, own).contiguous();
  EXPECT_TRUE(at::equal(gather.gather(local), numbers));
  // Rank r's loss is r+1 times the sum of numbers * rows.
  const at::Tensor gradient = gather.scatter_gradient(numbers * (rank + 1));
  EXPECT_TRUE(at::equal(gradient, local * (size * (size + 1) / 2)));
}

INSTANTIATE_TEST_SUITE_P(Types, CommunicatorTest,
                         testing::Combine(testing::Values(at::kFloat, at::kDouble),
                                          testing::Values(most_elements_of_mpi, std::int64_t{3})));

TEST(CommunicatorSelf, EqualsMpiOfOneRank) {
  const auto communicator = make_self_communicator();
  EXPECT_EQ(communicator->size(), 1);
  RowGather gather(*communicator, {4});
  const at::Tensor rows = at::arange(24, at::kFloat).view({2, 4, 3});
  EXPECT_TRUE(at::equal(gather.gather(rows), rows));
  EXPECT_TRUE(at::equal(gather.scatter_gradient(rows), rows));
}

/// All calls of a transport are checked at one place.
TEST(CommunicatorTensors, OthersThanPlainMemoryOfOneTypeAreRefused) {
  const auto mpi = make_mpi_communicator(), self = make_self_communicator();
  for (Communicator* ranks : {mpi.get(), self.get()}) {
    const std::int64_t rows = 2 * ranks->size();
    const at::Tensor plain = at::ones({rows, 2}, at::kFloat);
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks->size()), plain.numel());
    // `meta` represents any device whose memory is not the processor's.
    const at::Tensor meta = at::empty({rows, 2}, at::device(at::kMeta));
    const at::Tensor refused[] = {at::ones({rows, 2}, at::kInt), at::ones({rows, 2}, at::kBFloat16),
                                  at::ones({2, rows}, at::kFloat).t(), meta};
    for (const at::Tensor& other : refused) {
      // One process by itself has nothing to do on any device.
      if (ranks == mpi.get() || !other.is_meta()) {
        EXPECT_THROW(ranks->all_reduce_sum(other), std::logic_error) << other.toString();
        EXPECT_THROW(ranks->broadcast(other, 0), std::logic_error) << other.toString();
      }
      EXPECT_THROW(ranks->ring_shift(other, counts, plain), std::logic_error) << other.toString();
      EXPECT_THROW(ranks->ring_shift(plain, counts, other), std::logic_error) << other.toString();
    }
    EXPECT_THROW(ranks->ring_shift(plain, counts, plain.to(at::kDouble)), std::logic_error);
    EXPECT_NO_THROW(ranks->ring_shift(plain, counts, at::empty_like(plain)));
  }
  self->all_reduce_sum(at::empty({4}, at::device(at::kMeta)));
  EXPECT_THROW(mpi->ring_shift(at::empty({2}, at::device(at::kMeta)),
                               std::vector<std::int64_t>(static_cast<std::size_t>(mpi->size()), 2),
                               at::empty({2}, at::device(at::kMeta))),
               std::logic_error);
}

}  // namespace
}  // namespace gausscse
