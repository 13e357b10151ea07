#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "dist/collectives.hpp"
#include "dist/control_group.hpp"

namespace gausscse {
namespace {

using Counts = std::vector<std::int64_t>;

TEST(CollectiveCounts, AreThoseOfTheTensors) {
  const Counts counts{3, 0, 2};
  EXPECT_NO_THROW(check_counts(counts, 0, 3, 3, 5));
  EXPECT_NO_THROW(check_counts(counts, 1, 3, 0, 5));
  for (const std::int64_t own : {2, 4}) EXPECT_THROW(check_counts(counts, 0, 3, own, 5), std::logic_error) << own;
  for (const std::int64_t all : {4, 6}) EXPECT_THROW(check_counts(counts, 0, 3, 3, all), std::logic_error) << all;
  for (const int size : {2, 4}) EXPECT_THROW(check_counts(counts, 0, size, 3, 5), std::logic_error) << size;
}

TEST(CollectiveCounts, OfARingAreThoseOfThisRankAndTheOneBefore) {
  const Counts counts{3, 0, 2};
  EXPECT_NO_THROW(check_ring_counts(counts, 0, 3, 3, 2)) << "before the first comes the last";
  EXPECT_NO_THROW(check_ring_counts(counts, 2, 3, 2, 0));
  for (const std::int64_t sent : {2, 4})
    EXPECT_THROW(check_ring_counts(counts, 0, 3, sent, 2), std::logic_error) << sent;
  for (const std::int64_t received : {1, 3})
    EXPECT_THROW(check_ring_counts(counts, 0, 3, 3, received), std::logic_error) << received;
  EXPECT_THROW(check_ring_counts(counts, 0, 2, 3, 0), std::logic_error) << "one a rank";
}

/// One tensor fits its counts, the other does not: MPI would read or write behind it, or end the job.
TEST(CollectiveCounts, OfMpiAreChecked) {
  const auto control = make_mpi_control_group();
  const auto ranks = make_mpi_collectives();
  const int size = control->size();
  const Counts counts(static_cast<std::size_t>(size), 3);
  const auto sized = [](std::int64_t count) { return at::ones({count}, at::kFloat); };
  for (const int more : {-1, 1}) {
    EXPECT_THROW(ranks->all_gather(sized(3 + more), counts, sized(3 * size)), std::logic_error);
    EXPECT_THROW(ranks->all_gather(sized(3), counts, sized(3 * size + more)), std::logic_error);
    EXPECT_THROW(ranks->reduce_scatter_sum(sized(3 * size), counts, sized(3 + more)), std::logic_error);
    EXPECT_THROW(ranks->reduce_scatter_sum(sized(3 * size + more), counts, sized(3)), std::logic_error);
    EXPECT_THROW(ranks->all_to_all(sized(3 * size + more), counts, sized(3 * size)), std::logic_error);
    EXPECT_THROW(ranks->all_to_all(sized(3 * size), counts, sized(3 * size + more)), std::logic_error);
    EXPECT_THROW(ranks->ring_shift(sized(3 + more), counts, sized(3)), std::logic_error);
    EXPECT_THROW(ranks->ring_shift(sized(3), counts, sized(3 + more)), std::logic_error);
  }
}

}  // namespace
}  // namespace gausscse
