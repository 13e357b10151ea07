#pragma once

#include <cstdint>
#include <cstdlib>

#include "model/kernels/scratch_refused.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Memory aligned for vectors that grows to the size asked for. The standard library's containers are not used in
/// kernels: the linker could take their code, compiled for one instruction set, for all of them.
template <typename T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::free(data_); }
  /// Returns memory that is not initialised; its earlier content is lost. Ends the process where there is no memory.
  T* of_size(std::int64_t count) {
    if (count > capacity_) {
      std::free(data_);
      const auto bytes = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
      data_ = static_cast<T*>(std::aligned_alloc(64, bytes));
      if (!data_) abort_as_scratch_was_refused(bytes);
      capacity_ = count;
    }
    return data_;
  }

 private:
  T* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

}  // namespace gausscse::kernels::GAUSSCSE_ISA
