#pragma once

#include <mpi.h>

#include "dist/nccl/handle.hpp"
#include "nccl_on_mpi/nccl_on_mpi.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Nothing may be called wrongly, or be left, by the end of each test.
class NcclTest : public testing::Test {
 protected:
  NcclTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    nccl_on_mpi::reset_behaviour();
  }

  void TearDown() override {
    nccl_on_mpi::reset_behaviour();
    EXPECT_EQ(nccl_on_mpi::take_mistakes(), std::vector<std::string>());
    EXPECT_EQ(nccl_on_mpi::live_communicators(), 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// Rank 0's id, on all ranks.
  static std::string shared_id() {
    std::string id = detail::new_nccl_id();
    MPI_Bcast(id.data(), static_cast<int>(id.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    return id;
  }

  std::unique_ptr<detail::NcclHandle> join(detail::NcclLimits limits = {}) const {
    return std::make_unique<detail::NcclHandle>(shared_id(), rank_, size_, limits);
  }

  int rank_ = 0, size_ = 0;
};

}  // namespace gausscse
