#include <algorithm>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "dist/nccl/calls.hpp"
#include "dist/nccl/handle.hpp"
#include "tests/dist/nccl/nccl_test.hpp"

namespace gausscse {
namespace {

using detail::NcclHandle;
using nccl_on_mpi::behaviour;

/// Short enough to be waited for, long enough for a start on a machine that is busy with others: a rank that gave up
/// there would leave the rest waiting.
constexpr detail::NcclLimits short_limits{2, 0.05};

class NcclHandleTest : public NcclTest {
 protected:
  static void sum(NcclHandle& handle, double& number) {
    const std::int64_t one = 1;
    queue_on_nccl(handle, {Collective::all_reduce_sum, &number, &number, {&one, 1}, {ncclFloat64, sizeof number}},
                  nullptr);
  }

  /// Returns the message of the SystemError that `work` ends with.
  template <typename Work>
  static std::string failure_of(const Work& work) {
    try {
      work();
    } catch (const SystemError& error) {
      return error.what();
    }
    return "no failure";
  }

  std::string begin_of_failure(const std::string& call) const {
    return concat("NCCL failed on rank ", rank_, " (", host_name(), ") in ", call, ": ");
  }
  static void expect_begin(const std::string& text, const std::string& begin) {
    EXPECT_EQ(text.substr(0, begin.size()), begin);
  }

  int aborts_before_ = nccl_on_mpi::aborts();
};

TEST_F(NcclHandleTest, EndsInOrder) {
  {
    const auto handle = join();
    EXPECT_EQ(nccl_on_mpi::live_communicators(), 1);
    handle->finish();
    EXPECT_EQ(nccl_on_mpi::live_communicators(), 0);
    handle->finish();
  }
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_);
  join();
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_ + 1) << "without an end there is an abort";
}

TEST_F(NcclHandleTest, TakesCallsThatAreThroughAtOnce) {
  behaviour().polls = 0;
  const auto handle = join();
  double number = rank_ + 1;
  sum(*handle, number);
  EXPECT_EQ(number, size_ * (size_ + 1) / 2);
  handle->finish();
}

TEST_F(NcclHandleTest, AStartThatIsNeverThroughIsAnErrorAndAborted) {
  behaviour().never_through = true;
  const std::string failure = failure_of([&] { join(short_limits); });
  expect_begin(failure, begin_of_failure("its start") + "no progress for 2 s (told by nccl_on_mpi)");
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_ + 1);
}

TEST_F(NcclHandleTest, AnotherIdIsAnErrorAndAborted) {
  if (size_ == 1) GTEST_SKIP() << "one rank cannot differ";
  // Each its own, of which a rank makes another number before.
  std::string id = detail::new_nccl_id();
  for (int i = 0; i < rank_; ++i) id = detail::new_nccl_id();
  const std::string failure = failure_of([&] { NcclHandle(id, rank_, size_, {}); });
  expect_begin(failure, begin_of_failure("its start") + "wrong use");
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_ + 1);
}

TEST_F(NcclHandleTest, AnErrorWhileACallIsQueuedNamesIt) {
  auto handle = join();
  behaviour().state = ncclRemoteError;
  double number = 1;
  expect_begin(failure_of([&] { sum(*handle, number); }), begin_of_failure("all_reduce_sum") + "another rank failed");
  EXPECT_EQ(failure_of([&] { sum(*handle, number); }),
            concat("NCCL failed before on rank ", rank_, ": no all_reduce_sum"));
  handle->finish();
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_) << "no leave is taken after an error";
  EXPECT_EQ(nccl_on_mpi::live_communicators(), 1);
  handle.reset();
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_ + 1);
}

TEST_F(NcclHandleTest, ACallThatIsRefusedIsAnErrorAlthoughItsGroupEndsWell) {
  const auto handle = join();
  behaviour().answer = ncclInvalidArgument;
  double number = 1;
  expect_begin(failure_of([&] { sum(*handle, number); }), begin_of_failure("all_reduce_sum") + "wrong argument");
}

TEST_F(NcclHandleTest, ALibraryThatDoesNotAnswerIsAnError) {
  behaviour().answer = ncclSystemError;
  const std::string version = failure_of([] { detail::check_nccl_version(); });
  expect_begin(version, concat("NCCL on host ", host_name(), " does not report its version"));
  const std::string id = failure_of([] { detail::new_nccl_id(); });
  expect_begin(id, concat("NCCL on host ", host_name(), " finds no way to reach other ranks: a system call failed: "));
}

TEST_F(NcclHandleTest, ACallThatIsNeverThroughIsAnError) {
  const auto handle = join(short_limits);
  behaviour().never_through = true;
  double number = 1;
  expect_begin(failure_of([&] { sum(*handle, number); }), begin_of_failure("all_reduce_sum") + "no progress for 2 s");
}

TEST_F(NcclHandleTest, AnEndThatIsNeverThroughIsAnErrorAndAborted) {
  {
    const auto handle = join(short_limits);
    behaviour().never_through = true;
    expect_begin(failure_of([&] { handle->finish(); }), begin_of_failure("its end") + "no progress for 2 s");
  }
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_ + 1);
}

TEST_F(NcclHandleTest, AnAbortThatHangsIsLeftBehind) {
  behaviour().abort_may_end = false;
  join(short_limits);
  EXPECT_EQ(nccl_on_mpi::aborts(), aborts_before_ + 1);
  behaviour().abort_may_end = true;
  behaviour().abort_may_end.notify_all();
}

TEST_F(NcclHandleTest, AnErrorOfWhatIsQueuedIsFoundByWhoAsks) {
  const auto handle = join();
  handle->check();
  behaviour().state = ncclSystemError;
  const std::string failure = failure_of([&] { handle->check(); });
  expect_begin(failure, begin_of_failure("the queued calls") + "a system call failed");
}

TEST_F(NcclHandleTest, AQuestionOfAnotherThreadDoesNotWaitForACall) {
  const auto handle = join();
  int asked = 0;
  behaviour().at_poll = [&] {
    std::thread([&] { handle->check(); }).join();
    ++asked;
  };
  double number = rank_ + 1;
  sum(*handle, number);
  EXPECT_EQ(asked, 4) << "each poll of the sum, and none of the other thread";
  EXPECT_EQ(number, size_ * (size_ + 1) / 2);
  behaviour().at_poll = nullptr;
  handle->finish();
}

TEST_F(NcclHandleTest, PeersThatDoNotFitAreAnError) {
  if (size_ == 1) GTEST_SKIP() << "one rank cannot differ";
  auto handle = join();
  std::vector<double> data(10), received(10);
  const detail::NcclElement element{ncclFloat64, sizeof(double)};
  const std::int64_t count = 9 + rank_ % 2;
  EXPECT_THROW(
      queue_on_nccl(*handle, {Collective::all_reduce_sum, data.data(), data.data(), {&count, 1}, element}, nullptr),
      SystemError);
  handle = join();
  // The first says that each rank has five, the others that they have six.
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(size_), 5 + std::min(rank_, 1));
  const auto shift = [&] {
    queue_on_nccl(*handle, {Collective::ring_shift, data.data(), received.data(), counts, element}, nullptr);
  };
  if (rank_ < 2)
    EXPECT_THROW(shift(), SystemError);
  else
    shift();
}

TEST_F(NcclHandleTest, AnOlderLibraryIsRefusedByVersion) {
  for (const int version : {NCCL_VERSION_CODE, NCCL_VERSION_CODE + 1, 29999}) {
    behaviour().version = version;
    EXPECT_NO_THROW(detail::check_nccl_version());
  }
  behaviour().version = 22703;
  const std::string failure = failure_of([] { detail::check_nccl_version(); });
  EXPECT_NE(failure.find("is 2.27.3, but this program was compiled with 2.28.9"), std::string::npos) << failure;
  behaviour().version = 30000;
  EXPECT_THROW(detail::check_nccl_version(), SystemError) << "another major version";
}

}  // namespace
}  // namespace gausscse
