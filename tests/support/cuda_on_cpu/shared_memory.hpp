#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cuda_on_cpu {

/// Action of a kernel that is not allowed on a GPU, where it often goes unnoticed.
class KernelError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Moment at which a thread of a block did something: how often all of the block, and all of its warp, had met before.
struct Moment {
  std::uint32_t block_meetings = 0;
  std::uint32_t warp_meetings = 0;
};

/// Threads that last wrote and read an element of shared memory, and the times: it finds accesses that nothing orders.
class AccessRecord {
 public:
  /// Throws KernelError if nothing orders this access behind an earlier one of another thread, at least one of the two
  /// being a write. Also if an element is read that was never written.
  void read(int thread, Moment now);
  void write(int thread, Moment now);

 private:
  static constexpr int nobody = -1, several_of_a_warp = -2, several_warps = -3;

  Moment written_, read_;
  int writer_ = nobody;
  int reader_ = nobody;
  int reading_warp_ = 0;
};

/// One array in shared memory: its bytes, and the accesses to each element.
struct SharedArrayMemory {
  SharedArrayMemory(std::size_t offset, std::size_t count, std::size_t element_size);

  std::size_t offset;  ///< bytes from the start of the block's shared memory
  std::size_t element_size;
  std::unique_ptr<std::byte[]> bytes;  ///< a pattern that is not a number, until written
  std::vector<AccessRecord> records;
};

/// The shared memory of a block: the arrays that its threads ask for, each thread for the same ones in the same order.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : limit_(bytes) {}

  /// Array number `number` at byte `offset`. Throws KernelError if it ends behind the memory that the launch asked for,
  /// or if another thread asked for another array of that number.
  SharedArrayMemory& array(std::size_t number, std::size_t offset, std::size_t count, std::size_t element_size);

 private:
  std::size_t limit_;
  std::vector<std::unique_ptr<SharedArrayMemory>> arrays_;
};

}  // namespace cuda_on_cpu
