#include "model/parallel_tasks.hpp"

#include <ATen/Parallel.h>

#include <atomic>

#include "base/process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(RunTasks, CallsEachOnceWithOneLibraryThread) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> calls(40);
    std::atomic<int> wrong = 0;
    run_tasks(40, threads, [&](std::int64_t i, int thread) {
      ++calls[static_cast<std::size_t>(i)];
      wrong += thread < 0 || thread >= threads || at::get_num_threads() != 1;
    });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(at::get_num_threads(), 3);
  }
  at::set_num_threads(before);
}

TEST(RunTasks, CountsEachAsAPieceOfWork) {
  const std::uint64_t before = work_count();
  run_tasks(40, 3, [](std::int64_t, int) {});
  EXPECT_EQ(work_count(), before + 40);
}

TEST(RunTasks, ThrowsOnWhatATaskThrows) {
  const int before = at::get_num_threads();
  const auto fail_at_seven = [](std::int64_t i, int) {
    if (i == 7) throw std::runtime_error("seven");
  };
  for (const int threads : {1, 4}) {
    EXPECT_THROW(run_tasks(20, threads, fail_at_seven), std::runtime_error);
    EXPECT_EQ(at::get_num_threads(), before);
  }
  run_tasks(0, 2, [](std::int64_t, int) { FAIL() << "there is no task"; });
}

}  // namespace
}  // namespace gausscse
