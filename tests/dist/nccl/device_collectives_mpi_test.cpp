#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include <cstdint>
#include <stdexcept>

#include "base/error.hpp"
#include "tests/dist/nccl/nccl_collectives_test.hpp"
#include "tests/dist/what_mpi_gives.hpp"

namespace gausscse {
namespace {

TEST_F(NcclCollectivesTest, GivesWhatMpiGives) {
  const auto nccl = connect();
  EXPECT_STREQ(nccl->name(), "nccl");
  expect_what_mpi_gives(*nccl, rank_, size_, on_device);
}

TEST_F(NcclCollectivesTest, WorksBetweenWhatTheCurrentStreamHasAndWhatItGetsLater) {
  const auto nccl = connect();
  nccl_on_mpi::behaviour().at_queue = [](cudaStream_t stream) {
    pretended_device::log(concat("NCCL on ", reinterpret_cast<std::intptr_t>(stream)));
  };
  const at::Tensor data = at::ones({3}, at::kFloat);
  pretended_device::take_log();
  nccl->all_reduce_sum(on_device(data));
  const std::vector<std::string> log = pretended_device::take_log();
  ASSERT_EQ(log.size(), 5u);
  const std::string first = log[0].substr(7, log[0].find(' ', 7) - 7), last = log[3].substr(7, log[3].find(' ', 7) - 7);
  EXPECT_NE(first, last);
  EXPECT_EQ(log, (std::vector<std::string>{"record " + first + " on 0", first + " blocks 5", "NCCL on 5",
                                           "record " + last + " on 5", last + " blocks 0"}));
}

/// Nothing of the current stream waits for it before somebody asks for the result.
TEST_F(NcclCollectivesTest, WhatWasBegunIsWaitedForWhenItIsNeeded) {
  const auto nccl = connect();
  const at::Tensor data = at::ones({3}, at::kFloat), of_cpu = at::ones({2}, at::kDouble);
  pretended_device::take_log();
  const auto pending = nccl->begin_all_reduce_sum(on_device(data));
  const std::vector<std::string> log = pretended_device::take_log();
  ASSERT_EQ(log.size(), 3u);
  EXPECT_TRUE(log[0].ends_with(" on 0") && log[1].ends_with(" blocks 5") && log[2].ends_with(" on 5"));
  EXPECT_TRUE(nccl->take_queued()) << "for the watch";
  pending->wait();
  const std::string end = log[2].substr(7, log[2].find(' ', 7) - 7);
  EXPECT_EQ(pretended_device::take_log(), std::vector<std::string>{end + " blocks 0"});
  EXPECT_TRUE(at::equal(data, at::full({3}, size_, at::kFloat)));
  nccl->begin_all_reduce_sum(of_cpu)->wait();
  EXPECT_TRUE(at::equal(of_cpu, at::full({2}, size_, at::kDouble)));
  EXPECT_EQ(pretended_device::take_log(), std::vector<std::string>());
}

TEST_F(NcclCollectivesTest, MemoryOfWhatWasBegunIsKeptUntilItIsForgotten) {
  const auto nccl = connect();
  const at::Tensor host = at::ones({3}, at::kFloat), data = on_device(host);
  const auto holders = data.use_count();
  auto pending = nccl->begin_all_reduce_sum(data);
  EXPECT_EQ(data.use_count(), holders + 1);
  pending.reset();
  EXPECT_EQ(data.use_count(), holders);
}

TEST_F(NcclCollectivesTest, TensorsOfTheCpuAreTheHosts) {
  const auto nccl = connect();
  const at::Tensor data = at::ones({3}, at::kFloat);
  pretended_device::take_log();
  nccl->all_reduce_sum(data);
  EXPECT_TRUE(at::equal(data, at::full({3}, size_, at::kFloat)));
  EXPECT_FALSE(nccl->take_queued());
  EXPECT_EQ(pretended_device::take_log(), std::vector<std::string>());
}

TEST_F(NcclCollectivesTest, ReportsWhetherTheLastIsDone) {
  const auto nccl = connect();
  const at::Tensor data = at::ones({3}, at::kFloat);
  EXPECT_FALSE(nccl->take_queued());
  nccl->all_reduce_sum(on_device(data));
  const QueuedCollective queued = nccl->take_queued();
  EXPECT_FALSE(nccl->take_queued()) << "asked before";
  ASSERT_TRUE(queued);
  const auto& is_done = queued.is_done;
  pretended_device::take_log();
  EXPECT_TRUE(is_done());
  const std::vector<std::string> log = pretended_device::take_log();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].find("at another device"), std::string::npos) << "the thread that asks may have another: " << log[0];
  pretended_device::set_events(false);
  EXPECT_FALSE(is_done());
  nccl_on_mpi::behaviour().state = ncclRemoteError;
  EXPECT_THROW(is_done(), SystemError);
  nccl_on_mpi::behaviour().state = ncclSuccess;
  pretended_device::set_events(false, "an illegal memory access");
  try {
    is_done();
    FAIL() << "an error of the device was lost";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.what(), concat("the GPU of rank ", rank_, " failed: an illegal memory access"));
  }
}

TEST_F(NcclCollectivesTest, WhatIsQueuedCanBeAborted) {
  const auto nccl = connect();
  const int aborts = nccl_on_mpi::aborts();
  const at::Tensor data = at::ones({3}, at::kFloat);
  nccl->all_reduce_sum(on_device(data));
  nccl->take_queued().abort();
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts + 1);
  EXPECT_THROW(nccl->all_reduce_sum(on_device(data)), SystemError);
}

TEST_F(NcclCollectivesTest, RefusesCountsAndTensorsThatDoNotFit) {
  const auto nccl = connect();
  const at::Tensor data = on_device(at::ones({4}, at::kFloat));
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(size_), 3);
  EXPECT_THROW(nccl->ring_shift(data, counts, on_device(at::ones({3}, at::kFloat))), std::logic_error);
  EXPECT_THROW(nccl->ring_shift(at::ones({3}), counts, data), std::logic_error) << "of two devices";
  EXPECT_THROW(nccl->all_reduce_sum(on_device(at::ones({4}, at::kInt))), std::logic_error);
  EXPECT_THROW(nccl->all_reduce_sum(at::empty({4}, at::device(at::kMeta))), std::logic_error) << "of another device";
  EXPECT_FALSE(nccl->take_queued());
}

}  // namespace
}  // namespace gausscse
