#include <ATen/ATen.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "base/error.hpp"
#include "dist/nccl/device_collectives.hpp"
#include "tests/dist/nccl/nccl_test.hpp"
#include "tests/dist/nccl/pretended_device.hpp"

namespace gausscse {
namespace {

using detail::NcclCollectives;
using pretended_device::on_device;

class NcclCollectivesTest : public NcclTest {
 protected:
  NcclCollectivesTest() {
    pretended_device::set_events(true);
    pretended_device::take_log();
  }

  std::unique_ptr<NcclCollectives> start(detail::NcclLimits limits = {}) const {
    return std::make_unique<NcclCollectives>(make_mpi_collectives(), rank_, size_, pretended_device::device,
                                             shared_id(), limits);
  }
  std::unique_ptr<NcclCollectives> connect(detail::NcclLimits limits = {}) const {
    auto nccl = start(limits);
    // From the end of the first step on nothing is waited for.
    nccl->set_step(0);
    nccl->set_step(-1);
    return nccl;
  }
  std::vector<std::int64_t> uneven() const {
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size_; ++r) counts.push_back(2 * r + 1);
    return counts;
  }
  static at::Tensor values(std::int64_t count, int rank, at::ScalarType type) {
    return at::arange(count, type) + 100 * rank;
  }
};

/// NCCL's results are those of MPI, for which other tests have closed forms.
TEST_F(NcclCollectivesTest, GivesWhatMpiGives) {
  const auto mpi = make_mpi_collectives();
  const auto nccl = connect();
  EXPECT_STREQ(nccl->name(), "nccl");
  const std::vector<std::int64_t> counts = uneven();
  const std::int64_t own = counts[static_cast<std::size_t>(rank_)];
  const std::int64_t before = counts[static_cast<std::size_t>((rank_ + size_ - 1) % size_)];
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const auto compare = [&](std::int64_t in, std::int64_t out, const auto& call) {
      const at::Tensor data = values(in, rank_, type), expected = at::full({out}, -1, type), found = expected.clone();
      call(*mpi, data, expected);
      call(*nccl, on_device(data), on_device(found));
      EXPECT_TRUE(at::equal(found, expected));
      EXPECT_TRUE(at::equal(data, values(in, rank_, type)));
    };
    using Tensor = const at::Tensor&;
    compare(own, all, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.all_gather(in, counts, out); });
    compare(all, own, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.reduce_scatter_sum(in, counts, out); });
    compare(own * size_, all, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.all_to_all(in, counts, out); });
    compare(own, before, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.ring_shift(in, counts, out); });
    const at::Tensor sum = values(9, rank_, type), expected = sum.clone();
    mpi->all_reduce_sum(expected);
    nccl->all_reduce_sum(on_device(sum));
    EXPECT_TRUE(at::equal(sum, expected));
    const at::Tensor sent = values(9, rank_, type);
    nccl->broadcast(on_device(sent), size_ - 1);
    EXPECT_TRUE(at::equal(sent, values(9, size_ - 1, type)));
  }
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
    const std::vector<std::string> log = lines_of_a_sum();
    ASSERT_EQ(log.size(), 5u) << step;
    EXPECT_EQ(log[3], "the host waits for " + log[2].substr(7, log[2].find(' ', 7) - 7));
  }
  nccl->set_step(-1);
  EXPECT_EQ(lines_of_a_sum().size(), 4u) << "nobody waits";
  nccl->set_step(5);
  EXPECT_EQ(lines_of_a_sum().size(), 4u);
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

TEST_F(NcclCollectivesTest, TellsWhetherTheLastIsDone) {
  const auto nccl = connect();
  const at::Tensor data = at::ones({3}, at::kFloat);
  EXPECT_FALSE(nccl->take_queued());
  nccl->all_reduce_sum(on_device(data));
  const QueuedCollective queued = nccl->take_queued();
  EXPECT_FALSE(nccl->take_queued()) << "asked before";
  ASSERT_TRUE(queued);
  const auto& is_done = queued.is_done;
  const int entered = pretended_device::devices_entered();
  EXPECT_TRUE(is_done());
  EXPECT_GT(pretended_device::devices_entered(), entered) << "the thread that asks may have another device";
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

TEST_F(NcclCollectivesTest, RefusesCountsAndTensorsThatDoNotFit) {
  const auto nccl = connect();
  const at::Tensor data = on_device(at::ones({4}, at::kFloat)), number = on_device(at::ones({1}, at::kFloat));
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(size_), 3);
  EXPECT_THROW(nccl->all_gather(data, counts, data), std::logic_error);
  EXPECT_THROW(nccl->reduce_scatter_sum(data, counts, data), std::logic_error);
  EXPECT_THROW(nccl->all_to_all(data, counts, data), std::logic_error);
  EXPECT_THROW(nccl->ring_shift(data, counts, data), std::logic_error);
  EXPECT_THROW(nccl->ring_shift(at::ones({3}), counts, data), std::logic_error) << "of two devices";
  EXPECT_THROW(nccl->all_reduce_sum(on_device(at::ones({4}, at::kInt))), std::logic_error);
  EXPECT_THROW(nccl->all_reduce_sum(at::empty({4}, at::device(at::kMeta))), std::logic_error) << "of another device";
  EXPECT_FALSE(nccl->take_queued());
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
