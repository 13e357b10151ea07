#include "tests/support/cuda_on_cpu/language.hpp"
#include "tests/support/testing.hpp"

// Mistakes that the stand-in for CUDA must notice: kernels with a mistake of each kind, and the same kernels without
// it.
namespace cuda_on_cpu {
namespace {

/// Returns the message of the KernelError that a grid of one block of `threads` threads throws, or nothing.
std::string refusal(const std::function<void()>& kernel, unsigned threads = 64, std::size_t shared_bytes = 4096) {
  std::string message;
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    set_order(seed);
    try {
      run_grid({1, 1, threads, shared_bytes}, kernel);
      EXPECT_EQ(message, "") << "found with one order of threads and not with another";
    } catch (const KernelError& error) {
      message = error.what();
    }
  }
  return message;
}

void expect_refusal(const std::function<void()>& kernel, const std::string& part, unsigned threads = 64) {
  const std::string message = refusal(kernel, threads);
  EXPECT_NE(message.find(part), std::string::npos) << "\"" << message << "\" has no \"" << part << "\"";
}

TEST(CudaOnCpu, RunsEachThreadOfEachBlockOnce) {
  std::vector<int> runs(7 * 3 * 64);
  run_grid({7, 3, 64, 0}, [&] {
    ASSERT_EQ(gridDim.x, 7u);
    ASSERT_EQ(gridDim.y, 3u);
    ASSERT_EQ(blockDim.x, 64u);
    ++runs[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
  });
  EXPECT_EQ(runs, std::vector<int>(7 * 3 * 64, 1));
}

TEST(CudaOnCpu, DrawsAnotherOrderOfThreadsForEachSeed) {
  std::set<std::vector<unsigned>> orders;
  for (const std::uint32_t seed : {1u, 2u, 3u, 1u}) {
    set_order(seed);
    std::vector<unsigned> order;
    run_grid({1, 1, 64, 0}, [&] {
      order.push_back(threadIdx.x);
      __syncthreads();
      order.push_back(threadIdx.x);
    });
    ASSERT_EQ(order.size(), 128u);
    EXPECT_NE(std::vector(order.begin(), order.begin() + 64), std::vector(order.begin() + 64, order.end()));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 3u);
}

TEST(CudaOnCpu, ABarrierOrdersSharedMemory) {
  const auto reverse = [](bool with_barrier) {
    return [=] {
      SharedArrays shared;
      const SharedPointer<int> values = shared.take<int>(64);
      values[threadIdx.x] = static_cast<int>(threadIdx.x);
      if (with_barrier) __syncthreads();
      const int other = values[63 - threadIdx.x];
      EXPECT_EQ(other, 63 - static_cast<int>(threadIdx.x));
    };
  };
  EXPECT_EQ(refusal(reverse(true)), "");
  const std::string message = refusal(reverse(false));
  EXPECT_TRUE(message.find("no barrier orders") != std::string::npos ||
              message.find("never written") != std::string::npos)
      << message;
}

TEST(CudaOnCpu, AWriteBehindAReadNeedsABarrier) {
  const auto shift = [](bool with_barrier) {
    return [=] {
      SharedArrays shared;
      const SharedPointer<int> values = shared.take<int>(64);
      values[threadIdx.x] = 1;
      __syncthreads();
      const int other = values[(threadIdx.x + 1) % 64];
      if (with_barrier) __syncthreads();
      values[threadIdx.x] = other + 1;
    };
  };
  EXPECT_EQ(refusal(shift(true)), "");
  expect_refusal(shift(false), "no barrier orders");
}

TEST(CudaOnCpu, AShuffleDoesNotOrderSharedMemoryAndAWarpBarrierDoesInItsWarp) {
  const auto exchange = [](bool barrier, int distance) {
    return [=] {
      SharedArrays shared;
      const SharedPointer<int> values = shared.take<int>(64);
      const int thread = static_cast<int>(threadIdx.x);
      values[thread] = thread;
      __shfl_xor_sync(0xFFFFFFFFu, thread, 1);
      if (barrier) __syncwarp();
      const int other = values[thread ^ distance];
      EXPECT_EQ(other, thread ^ distance);
    };
  };
  EXPECT_EQ(refusal(exchange(true, 1)), "");
  expect_refusal(exchange(false, 1), "no barrier orders");
  EXPECT_NE(refusal(exchange(true, 32)), "");
}

TEST(CudaOnCpu, ReadsOfWhatWasNeverWrittenAreRefused) {
  expect_refusal(
      [] {
        SharedArrays shared;
        const SharedPointer<float> values = shared.take<float>(64);
        const float value = values[threadIdx.x];
        EXPECT_EQ(value, value);
      },
      "never written");
}

TEST(CudaOnCpu, SharedArraysHaveBounds) {
  const auto write_at = [](int index) {
    return [=] {
      SharedArrays shared;
      const SharedPointer<float> first = shared.take<float>(10), second = shared.take<float>(10);
      if (threadIdx.x == 0) (first + 5)[index] = 1;
      if (threadIdx.x == 1) second[0] = 2;
    };
  };
  EXPECT_EQ(refusal(write_at(4)), "");
  EXPECT_EQ(refusal(write_at(-5)), "");
  expect_refusal(write_at(5), "element 10 of an array of 10");
  expect_refusal(write_at(-6), "element -1");
}

TEST(CudaOnCpu, MoreSharedMemoryThanAskedForIsRefused) {
  expect_refusal(
      [] {
        SharedArrays shared;
        shared.take<double>(500);
        shared.take<double>(13);
      },
      "where the launch asked for 4096");
}

TEST(CudaOnCpu, ThreadsThatHaveLeftAreMissedAtABarrier) {
  expect_refusal(
      [] {
        if (threadIdx.x < 3) return;
        __syncthreads();
      },
      "3 have left the kernel; 61 wait at __syncthreads");
}

TEST(CudaOnCpu, BarriersAtTwoPlacesOfTheSourceDoNotMeet) {
  expect_refusal(
      [] {
        if (threadIdx.x < 32)  // NOLINT(bugprone-branch-clone): two places are the point
          __syncthreads();
        else
          __syncthreads();
      },
      "wait for each other");
}

TEST(CudaOnCpu, ShufflesGiveWhatTheWordsSay) {
  run_grid({1, 1, 64, 0}, [] {
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    EXPECT_EQ(__shfl_xor_sync(0xFFFFFFFFu, 100 * warp + lane, 5), 100 * warp + (lane ^ 5));
    EXPECT_EQ(__shfl_sync(0xFFFFFFFFu, 100 * warp + lane, 31 - lane), 100 * warp + 31 - lane);
    EXPECT_EQ(__shfl_down_sync(0xFFFFFFFFu, 0.5 + lane, 3), 0.5 + (lane + 3 < 32 ? lane + 3 : lane));
  });
}

TEST(CudaOnCpu, BallotsGiveTheVoteOfEachLaneOfTheWarp) {
  run_grid({1, 1, 64, 0}, [] {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    EXPECT_EQ(__ballot_sync(0xFFFFFFFFu, lane % 3 == warp), warp == 0 ? 0x49249249u : 0x92492492u);
  });
  const auto half = [] {
    if (threadIdx.x >= 16) {
      EXPECT_EQ(__ballot_sync(0xFFFF0000u, threadIdx.x != 20), 0xFFEF0000u);
    }
  };
  EXPECT_EQ(refusal(half, 32), "");
  expect_refusal(
      [] {
        if (threadIdx.x != 7) __ballot_sync(0xFFFFFFFFu, true);
      },
      "1 have left the kernel; 31 wait in a shuffle", 32);
}

TEST(CudaOnCpu, ShufflesAreStrictByPlaceMaskAndDistance) {
  expect_refusal(
      [] {
        if (threadIdx.x % 2 == 0)  // NOLINT(bugprone-branch-clone): as above
          __shfl_xor_sync(0xFFFFFFFFu, 1, 2);
        else
          __shfl_xor_sync(0xFFFFFFFFu, 1, 2);
      },
      "wait in a shuffle", 32);
  expect_refusal([] { __shfl_xor_sync(0xFFFFFFFFu, 1, threadIdx.x < 16 ? 1 : 2); }, "wait in a shuffle", 32);
  expect_refusal(
      [] {
        if (threadIdx.x != 7) __shfl_xor_sync(0xFFFFFFFFu, 1, 2);
      },
      "1 have left the kernel; 31 wait in a shuffle", 32);
  expect_refusal([] { __shfl_sync(0x0000FFFFu, 1, 0); }, "is not in its own mask", 32);
  expect_refusal(
      [] {
        if (threadIdx.x < 16) __shfl_xor_sync(0x0000FFFFu, 1, 16);
      },
      "which is not in the mask", 32);
  const auto half = [] {
    if (threadIdx.x < 16) {
      EXPECT_EQ(__shfl_sync(0x0000FFFFu, static_cast<int>(threadIdx.x), 3), 3);
    }
  };
  EXPECT_EQ(refusal(half, 32), "");
}

TEST(CudaOnCpu, SizesThatNoGpuTakesAreRefused) {
  const auto nothing = [] {};
  EXPECT_THROW(run_grid({0, 1, 32, 0}, nothing), KernelError);
  EXPECT_THROW(run_grid({1, 65536, 32, 0}, nothing), KernelError);
  EXPECT_THROW(run_grid({1, 1, 33, 0}, nothing), KernelError);
  EXPECT_THROW(run_grid({1, 1, 1056, 0}, nothing), KernelError);
  EXPECT_THROW(run_grid({1, 1, 32, 300000}, nothing), KernelError);
  EXPECT_THROW(threadIdx, KernelError);
}

TEST(CudaOnCpu, GoesOnAfterABlockThatFailed) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(refusal([] {
                if (threadIdx.x == 0) return;
                __syncthreads();
              }),
              "");
    EXPECT_EQ(refusal([] { __syncthreads(); }), "");
  }
}

}  // namespace
}  // namespace cuda_on_cpu
