#include <future>
#include <mutex>
#include <thread>

#include "tests/support/testing.hpp"
#include "training/prepared_batch.hpp"

namespace gausscse {
namespace {

/// Maker of batches that hold nothing but their step, which notes the thread.
class Preparation {
 public:
  static constexpr std::size_t most_steps = 8;

  PreparedBatch operator()(std::int64_t step) {
    {
      const std::lock_guard lock(mutex_);
      steps_.push_back(step);
    }
    began_[static_cast<std::size_t>(step)].set_value(std::this_thread::get_id());
    if (step == throws_at) throw SystemError("the corpus is gone");
    PreparedBatch batch;
    batch.step = step;
    return batch;
  }

  /// Waits for the preparation of `step`.
  std::thread::id thread_of(std::size_t step) { return began_[step].get_future().get(); }
  std::vector<std::int64_t> steps() {
    const std::lock_guard lock(mutex_);
    return steps_;
  }

  std::int64_t throws_at = -1;

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> steps_;
  std::array<std::promise<std::thread::id>, most_steps> began_;
};

TEST(BatchPrefetch, PreparesTheNextStepOnAnotherThread) {
  Preparation preparation;
  {
    BatchPrefetch prefetch(std::ref(preparation), 3);
    EXPECT_EQ(prefetch.take(0).step, 0);
    // Nobody has asked for it.
    EXPECT_NE(preparation.thread_of(1), std::this_thread::get_id());
    EXPECT_EQ(prefetch.take(1).step, 1);
    EXPECT_NE(preparation.thread_of(2), std::this_thread::get_id());
    EXPECT_EQ(prefetch.take(2).step, 2);
  }
  EXPECT_EQ(preparation.steps(), (std::vector<std::int64_t>{0, 1, 2})) << "there is no step 3";
}

TEST(BatchPrefetch, GoesOnFromAnyStep) {
  Preparation preparation;
  {
    BatchPrefetch prefetch(std::ref(preparation), 8);
    EXPECT_EQ(prefetch.take(2).step, 2);
    EXPECT_EQ(prefetch.take(6).step, 6) << "3 was prepared, and is not what was asked for";
    EXPECT_EQ(prefetch.take(7).step, 7);
  }
  EXPECT_EQ(preparation.steps(), (std::vector<std::int64_t>{2, 3, 6, 7}));
}

TEST(BatchPrefetch, ErrorsComeOutInTheStepThatTheyBelongTo) {
  Preparation preparation;
  preparation.throws_at = 1;
  BatchPrefetch prefetch(std::ref(preparation), 3);
  EXPECT_EQ(prefetch.take(0).step, 0);
  EXPECT_THROW(prefetch.take(1), SystemError);
}

TEST(BatchPrefetch, ABatchThatNobodyTakesIsWaitedFor) {
  Preparation preparation;
  { EXPECT_EQ(BatchPrefetch(std::ref(preparation), 3).take(0).step, 0); }
  EXPECT_EQ(preparation.steps(), (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace gausscse
