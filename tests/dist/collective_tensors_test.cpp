#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>

#include "dist/collectives.hpp"
#include "dist/control_group.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Counts = std::vector<std::int64_t>;

at::Tensor ones_of(std::int64_t elements) {
  return at::ones({elements}, at::kFloat);
}

/// Before the first rank of a ring comes the last.
TEST(CollectiveCounts, AreThoseOfTheTensors) {
  struct Fitting {
    Collective collective;
    int rank;
    std::int64_t given, taken;
  };
  const Counts counts{3, 0, 2};
  for (const auto& [collective, rank, given, taken] :
       {Fitting{Collective::all_gather, 0, 3, 5}, Fitting{Collective::all_gather, 1, 0, 5},
        Fitting{Collective::reduce_scatter_sum, 0, 5, 3}, Fitting{Collective::all_to_all, 2, 6, 5},
        Fitting{Collective::ring_shift, 0, 3, 2}, Fitting{Collective::ring_shift, 2, 2, 0}}) {
    SCOPED_TRACE(collective_names[static_cast<std::size_t>(collective)]);
    EXPECT_NO_THROW(check_counts({collective, ones_of(given), counts, ones_of(taken)}, rank, 3));
    for (const int size : {2, 4})
      EXPECT_THROW(check_counts({collective, ones_of(given), counts, ones_of(taken)}, 0, size), std::logic_error);
    for (const auto& [more_given, more_taken] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      if (given + more_given < 0 || taken + more_taken < 0) continue;
      EXPECT_THROW(
          check_counts({collective, ones_of(given + more_given), counts, ones_of(taken + more_taken)}, rank, 3),
          std::logic_error);
    }
  }
}

/// One tensor fits its counts, the other does not: MPI would read or write behind it, or end the job.
TEST(CollectiveCounts, OfMpiAreChecked) {
  const auto control = make_mpi_control_group();
  const auto ranks = make_mpi_collectives();
  const int size = control->size();
  const Counts counts(static_cast<std::size_t>(size), 3);
  for (const int more : {-1, 1}) {
    EXPECT_THROW(ranks->all_gather(ones_of(3 + more), counts, ones_of(3 * size)), std::logic_error);
    EXPECT_THROW(ranks->all_gather(ones_of(3), counts, ones_of(3 * size + more)), std::logic_error);
  }
}

}  // namespace
}  // namespace gausscse
