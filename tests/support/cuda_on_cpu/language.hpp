#pragma once

// CUDA C++'s words, for kernels that are compiled as C++ and run on CPUs; included by model/kernels/cuda/language.hpp.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tests/support/cuda_on_cpu/block.hpp"
#include "tests/support/cuda_on_cpu/launch.hpp"

// Names that CUDA has reserved for itself.
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define threadIdx (::cuda_on_cpu::Block::current().thread_index())
#define blockIdx (::cuda_on_cpu::Block::current().place().index)
#define blockDim (::cuda_on_cpu::Block::current().place().block)
#define gridDim (::cuda_on_cpu::Block::current().place().grid)

inline void __syncthreads(const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  cuda_on_cpu::Block::current().meet_block(site);
}

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  cuda_on_cpu::Block::current().meet_warp(mask, site);
}

namespace cuda_on_cpu {

/// Hands `value` to the warp's lanes, and returns that of lane `from`.
template <typename T>
T exchanged(unsigned mask, T value, int from, int argument, const cuda_on_cpu::Place& site) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = Block::current().exchange(mask, {bits, from, argument}, site);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline int lane() {
  return Block::current().thread() % static_cast<int>(Block::warp_size);
}

}  // namespace cuda_on_cpu

template <typename T>
T __shfl_sync(unsigned mask, T value, int from, const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  // The lane to read from may differ from lane to lane.
  return cuda_on_cpu::exchanged(mask, value, from % 32, 0, site);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask,
                  const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  return cuda_on_cpu::exchanged(mask, value, cuda_on_cpu::lane() ^ lane_mask, lane_mask, site);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, int delta, const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  const int from = cuda_on_cpu::lane() + delta;
  return cuda_on_cpu::exchanged(mask, value, from < 32 ? from : cuda_on_cpu::lane(), delta, site);
}

inline unsigned __ballot_sync(unsigned mask, bool is_true,
                              const cuda_on_cpu::Place& site = cuda_on_cpu::Place::current()) {
  unsigned votes = 0, lane = 0;
  for (const std::uint64_t vote : cuda_on_cpu::Block::current().gather(mask, is_true ? 1 : 0, 0, site))
    votes |= static_cast<unsigned>(vote) << lane++;
  return votes;
}

inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}
inline int __float_as_int(float value) {
  return std::bit_cast<int>(value);
}

namespace cuda_on_cpu {

/// A pointer to shared memory: every access is checked for its bounds, and for its order among those of the block's
/// threads.
template <typename T>
class SharedPointer {
 public:
  /// One element, as an expression: read, or written to.
  class Element {
   public:
    Element(SharedArrayMemory& memory, std::size_t index) : memory_(memory), index_(index) {}
    Element(const Element&) = default;

    // As a reference is: implicit.
    operator T() const {  // NOLINT(google-explicit-constructor)
      Block& block = Block::current();
      memory_.records[index_].read(block.thread(), block.now());
      T value;
      std::memcpy(&value, memory_.bytes.get() + index_ * sizeof(T), sizeof(T));
      return value;
    }
    Element& operator=(T value) {
      Block& block = Block::current();
      memory_.records[index_].write(block.thread(), block.now());
      std::memcpy(memory_.bytes.get() + index_ * sizeof(T), &value, sizeof(T));
      return *this;
    }
    Element& operator=(const Element& other) { return *this = static_cast<T>(other); }
    Element& operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }
    Element& operator*=(T value) { return *this = static_cast<T>(static_cast<T>(*this) * value); }

   private:
    SharedArrayMemory& memory_;
    std::size_t index_;
  };

  SharedPointer(SharedArrayMemory& memory, std::ptrdiff_t offset) : memory_(&memory), offset_(offset) {}

  Element operator[](std::ptrdiff_t index) const {
    const std::ptrdiff_t at = offset_ + index;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(memory_->records.size()))
      throw KernelError("shared memory: element " + std::to_string(at) + " of an array of " +
                        std::to_string(memory_->records.size()));
    return Element(*memory_, static_cast<std::size_t>(at));
  }
  SharedPointer operator+(std::ptrdiff_t elements) const { return SharedPointer(*memory_, offset_ + elements); }
  /// Returns the bytes from the start of the block's shared memory.
  std::ptrdiff_t byte() const {
    return static_cast<std::ptrdiff_t>(memory_->offset) + offset_ * static_cast<std::ptrdiff_t>(sizeof(T));
  }

 private:
  SharedArrayMemory* memory_;
  std::ptrdiff_t offset_;
};

/// The arrays that a thread takes from its block's shared memory.
class SharedArrays {
 public:
  template <typename T>
  SharedPointer<T> take(std::size_t count) {
    constexpr std::size_t alignment = 16;
    SharedArrayMemory& memory = Block::current().shared_memory().array(taken_++, bytes_, count, sizeof(T));
    bytes_ = (bytes_ + count * sizeof(T) + alignment - 1) / alignment * alignment;
    return SharedPointer<T>(memory, 0);
  }

 private:
  std::size_t taken_ = 0, bytes_ = 0;
};

}  // namespace cuda_on_cpu
