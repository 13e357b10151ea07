#pragma once

// CUDA C++ as the kernels of this folder use it: its words, shared memory and launches. They are compiled by nvcc, or
// as C++ with a stand-in for CUDA under which tests run them on CPUs (docs/developers/testing.md). All shared memory is
// asked for at the launch and taken by SharedArrays, threads of a block are numbered by threadIdx.x alone and come in
// whole warps.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "model/kernels/kernels.hpp"

/// Stands before a loop over a thread's own array: that is in registers only where the loop is unrolled.
#ifdef __CUDACC__
#define GAUSSCSE_UNROLL _Pragma("unroll")
#else
#define GAUSSCSE_UNROLL
#endif
/// The same before a loop whose number of turns varies: `turns` of them become one.
#ifdef __CUDACC__
#define GAUSSCSE_PRAGMA(text) _Pragma(#text)
#define GAUSSCSE_UNROLL_BY(turns) GAUSSCSE_PRAGMA(unroll turns)
#else
#define GAUSSCSE_UNROLL_BY(turns)
#endif

#ifdef __CUDACC__

#include <cuda_runtime.h>

namespace gausscse::kernels::cuda {

template <typename T>
using SharedPointer = T*;

/// The arrays of a block's shared memory. Each thread takes the same ones in the same order; each begins at a multiple
/// of 16 bytes.
class SharedArrays {
 public:
  template <typename T>
  __device__ SharedPointer<T> take(std::size_t count) {
    extern __shared__ __align__(16) unsigned char shared_memory[];
    T* const array = reinterpret_cast<T*>(shared_memory + bytes_);
    bytes_ = (bytes_ + count * sizeof(T) + 15) / 16 * 16;
    return array;
  }

 private:
  std::size_t bytes_ = 0;
};

/// A grid of `blocks_x` times `blocks_y` blocks of `threads` threads, with so much shared memory for each block.
struct LaunchSize {
  std::int64_t blocks_x = 1, blocks_y = 1;
  unsigned threads = 32;
  std::size_t shared_bytes = 0;
};

/// Throws std::runtime_error with CUDA's own words if `code` is an error.
inline void check_call(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(code));
}

/// Starts `kernel` on the context's stream. Throws std::runtime_error if it cannot be started.
template <typename... Parameters, typename... Arguments>
void start(const KernelContext& context, const LaunchSize& size, void (*kernel)(Parameters...),
           Arguments... arguments) {
  if (size.shared_bytes > 48u << 10)
    check_call(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(size.shared_bytes)),
               "shared memory of a kernel");
  const dim3 grid(static_cast<unsigned>(size.blocks_x), static_cast<unsigned>(size.blocks_y));
  kernel<<<grid, size.threads, size.shared_bytes, static_cast<cudaStream_t>(context.stream)>>>(
      static_cast<Parameters>(arguments)...);
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) {
    const char* name = "without a name";
    cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel));
    check_call(code, (std::string("start of the kernel ") + name).c_str());
  }
}

}  // namespace gausscse::kernels::cuda

#else

#include "cuda_on_cpu/language.hpp"

namespace gausscse::kernels::cuda {

using cuda_on_cpu::LaunchSize;
using cuda_on_cpu::SharedArrays;
using cuda_on_cpu::SharedPointer;

template <typename... Parameters, typename... Arguments>
void start(const KernelContext&, const LaunchSize& size, void (*kernel)(Parameters...), Arguments... arguments) {
  cuda_on_cpu::run_grid(size, [&] { kernel(static_cast<Parameters>(arguments)...); });
}

}  // namespace gausscse::kernels::cuda

#endif

namespace gausscse::kernels::cuda {

/// Starts `kernel`, or nothing where the grid is empty.
template <typename... Parameters, typename... Arguments>
void launch(const KernelContext& context, const LaunchSize& size, void (*kernel)(Parameters...),
            Arguments... arguments) {
  if (size.blocks_x > 0 && size.blocks_y > 0) start(context, size, kernel, arguments...);
}

/// Returns the number of parts of up to `part` that make up `count`.
constexpr std::int64_t parts_of(std::int64_t count, std::int64_t part) {
  return (count + part - 1) / part;
}

/// Returns the bytes that SharedArrays takes for these many T.
template <typename T>
constexpr std::size_t shared_bytes_of(std::int64_t count) {
  return (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
}

/// Returns values[number]. Where `number` is a variable an index would copy the array to slow local memory.
template <typename Value>
__device__ Value one_of(const Value (&values)[3], std::int64_t number) {
  return number == 0 ? values[0] : number == 1 ? values[1] : values[2];
}

constexpr unsigned warp_size = 32, all_lanes = 0xFFFFFFFFu;

}  // namespace gausscse::kernels::cuda
