#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/cuda_on_cpu/fiber.hpp"
#include "tests/support/cuda_on_cpu/place.hpp"
#include "tests/support/cuda_on_cpu/shared_memory.hpp"

namespace cuda_on_cpu {

/// CUDA's index and size type.
struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
};

/// Place of a block in its grid.
struct BlockPlace {
  Dimensions grid, block;  ///< sizes
  Dimensions index;
};

/// Value that a lane of a warp hands to the others, and the one it gets.
struct Exchange {
  std::uint64_t bits;
  int from;      ///< the lane whose bits it wants, itself if there is none
  int argument;  ///< argument that must be the same for all lanes
};

/// Bits that each lane of a warp handed to the others.
using OfLanes = std::array<std::uint64_t, 32>;

/// Runs the threads of one block after another, each until it has to wait for others, in an order that is drawn again
/// each time. Everything of it happens on one OS thread.
class Block {
 public:
  static constexpr unsigned warp_size = 32, largest = 1024;

  /// Runs a block of `threads` threads, each of which calls `kernel`. Throws the error of a thread, and KernelError
  /// where they wait for each other for ever, or for one that has left.
  void run(const BlockPlace& place, std::size_t shared_bytes, const std::function<void()>& kernel,
           std::mt19937& random);

  /// Returns the block whose thread runs now. Throws KernelError outside of a kernel.
  static Block& current();

  // What the running thread calls.
  const BlockPlace& place() const { return place_; }
  Dimensions thread_index() const { return {static_cast<unsigned>(running_), 0, 0}; }
  int thread() const { return running_; }
  Moment now() const;
  void meet_block(const Place& site);
  void meet_warp(unsigned mask, const Place& site);
  std::uint64_t exchange(unsigned mask, const Exchange& exchange, const Place& site);
  /// Returns the bits of all lanes of the mask. They are valid until the thread waits again.
  const OfLanes& gather(unsigned mask, std::uint64_t bits, int argument, const Place& site);
  SharedMemory& shared_memory() { return *shared_; }

 private:
  enum class State { ready, at_block_barrier, at_warp_barrier, in_exchange, left };

  struct Thread {
    State state = State::ready;
    Place site;
    unsigned mask = 0;
    Exchange exchange{};
    std::uint64_t received = 0;
  };

  void wait(State state, unsigned mask, const Place& site);
  void run_ready_threads(std::mt19937& random);
  bool meet_in_warp(std::size_t warp);
  bool meet_in_block();
  [[noreturn]] void refuse(const std::string& why) const;
  int count() const { return static_cast<int>(threads_.size()); }

  BlockPlace place_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Thread> threads_;
  std::unique_ptr<SharedMemory> shared_;
  std::uint32_t block_meetings_ = 0;
  std::vector<std::uint32_t> warp_meetings_;
  std::vector<OfLanes> gathered_;  ///< by warp
  std::exception_ptr thrown_;
  int running_ = -1;
};

}  // namespace cuda_on_cpu
