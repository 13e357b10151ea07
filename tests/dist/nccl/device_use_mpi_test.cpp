#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/dist/nccl/nccl_collectives_test.hpp"

namespace gausscse {
namespace {

TEST_F(NcclCollectivesTest, NothingIsLeftOnTheDeviceUpToTheEndOfTheFirstStep) {
  const auto nccl = start();
  const at::Tensor data = at::ones({3}, at::kFloat);
  const auto lines_of_a_sum = [&] {
    pretended_device::take_log();
    nccl->all_reduce_sum(on_device(data));
    return pretended_device::take_log();
  };
  for (const std::int64_t step : {-1, 4}) {
    nccl->set_step(step);
    pretended_device::set_questions(3);
    const std::vector<std::string> log = lines_of_a_sum();
    ASSERT_EQ(log.size(), 7u) << step;
    const std::string question = "the host asks for " + log[2].substr(7, log[2].find(' ', 7) - 7);
    EXPECT_EQ(std::vector(log.begin() + 3, log.begin() + 6), std::vector<std::string>(3, question));
  }
  nccl->set_step(-1);
  EXPECT_EQ(lines_of_a_sum().size(), 4u) << "nobody waits";
  nccl->set_step(5);
  EXPECT_EQ(lines_of_a_sum().size(), 4u);
}

/// NCCL fails behind the call of the first step: the device would never be through.
TEST_F(NcclCollectivesTest, AnErrorInTheFirstStepIsNotWaitedFor) {
  const auto nccl = start();
  pretended_device::set_events(false);
  nccl_on_mpi::behaviour().at_queue = [](cudaStream_t) {
    nccl_on_mpi::behaviour().at_poll = [] { nccl_on_mpi::behaviour().state = ncclRemoteError; };
  };
  EXPECT_THROW(nccl->all_reduce_sum(on_device(at::ones({3}, at::kFloat))), SystemError);
}

TEST_F(NcclCollectivesTest, ItsStreamComesBeforeOthersAndItsDeviceIsCurrentWhileNcclIsCalled) {
  int calls = 0, elsewhere = 0;
  const auto look = [&] { pretended_device::is_current() ? ++calls : ++elsewhere; };
  nccl_on_mpi::behaviour().at_poll = look;
  auto nccl = connect();
  EXPECT_EQ(pretended_device::take_log(), std::vector<std::string>{"stream 5, before others"});
  nccl->all_reduce_sum(on_device(at::ones({3}, at::kFloat)));
  EXPECT_FALSE(pretended_device::is_current()) << "the caller's device is as it was";
  nccl.reset();
  EXPECT_GE(calls, 3) << "the start, the sum and the end";
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(NcclCollectivesTest, EventsAreUsedAgainWhenNobodyAsksAfterThem) {
  const auto nccl = connect();
  const at::Tensor data = at::ones({3}, at::kFloat);
  std::vector<QueuedCollective> asked;
  for (int i = 0; i < 3; ++i) {
    nccl->all_reduce_sum(on_device(data));
    asked.push_back(nccl->take_queued());
  }
  EXPECT_EQ(pretended_device::events(), 4) << "one before, and three ends";
  // Collectives are done, and forgotten, in their order.
  asked.erase(asked.begin());
  nccl->all_reduce_sum(on_device(data));
  EXPECT_EQ(pretended_device::events(), 4);
  asked.clear();
  for (int i = 0; i < 10; ++i) nccl->all_reduce_sum(on_device(data));
  EXPECT_EQ(pretended_device::events(), 4);
}

TEST_F(NcclCollectivesTest, TakesLeaveExceptWhereAnExceptionPasses) {
  const int aborts = nccl_on_mpi::aborts();
  connect();
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts);
  try {
    const auto nccl = connect();
    throw std::runtime_error("something else");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts + 1);
  auto stuck = connect({2, 0.05});
  nccl_on_mpi::behaviour().never_through = true;
  testing::internal::CaptureStderr();
  stuck.reset();
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find(concat("gausscse: rank ", rank_, ": NCCL failed on rank ", rank_)),
      std::string::npos);
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts + 2);
}

}  // namespace
}  // namespace gausscse
