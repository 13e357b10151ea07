#include "tests/support/cuda_on_cpu/launch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace cuda_on_cpu {

namespace {

constexpr std::int64_t most_blocks_x = 0x7FFFFFFF, most_blocks_y = 0xFFFF;
constexpr std::size_t most_shared_bytes = 163u << 10;  // of a block on sm_80, where it asks for more than 48 KB
constexpr int os_threads = 2;

std::atomic<std::uint32_t> next_seed = 1;

/// Blocks that wait for their next use: making stacks takes longer than most kernels.
class Blocks {
 public:
  std::unique_ptr<Block> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Block>();
    std::unique_ptr<Block> block = std::move(free_.back());
    free_.pop_back();
    return block;
  }
  void give_back(std::unique_ptr<Block> block) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(block));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;
};

Blocks& blocks() {
  static Blocks all;
  return all;
}

}  // namespace

void set_order(std::uint32_t seed) {
  next_seed = seed;
}

void run_grid(const LaunchSize& size, const std::function<void()>& kernel) {
  if (size.blocks_x < 1 || size.blocks_x > most_blocks_x || size.blocks_y < 1 || size.blocks_y > most_blocks_y)
    throw KernelError("a grid of " + std::to_string(size.blocks_x) + " x " + std::to_string(size.blocks_y) + " blocks");
  if (size.shared_bytes > most_shared_bytes)
    throw KernelError("a block with " + std::to_string(size.shared_bytes) + " bytes of shared memory");
  std::mt19937 random(next_seed++);
  std::vector<std::int64_t> order(static_cast<std::size_t>(size.blocks_x * size.blocks_y));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::shuffle(order.begin(), order.end(), random);

  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto work = [&](std::uint32_t seed) {
    std::mt19937 of_threads(seed);
    std::unique_ptr<Block> block = blocks().take();
    try {
      for (std::size_t i = next++; i < order.size(); i = next++) {
        BlockPlace place;
        place.grid = {static_cast<unsigned>(size.blocks_x), static_cast<unsigned>(size.blocks_y), 1};
        place.block = {size.threads, 1, 1};
        place.index = {static_cast<unsigned>(order[i] % size.blocks_x), static_cast<unsigned>(order[i] / size.blocks_x),
                       0};
        block->run(place, size.shared_bytes, kernel, of_threads);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = order.size();
    }
    blocks().give_back(std::move(block));
  };
  std::vector<std::thread> others;
  for (int i = 1; i < os_threads && order.size() > 1; ++i) others.emplace_back(work, random());
  work(random());
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace cuda_on_cpu
