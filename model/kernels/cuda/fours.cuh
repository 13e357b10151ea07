#pragma once

#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

/// Four neighbours, which a GPU reads and writes as one where their address allows it.
template <typename T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) Vec4 {
  T at[4];
};

/// Returns elements from `from` on in global memory, up to four; zeros where there are fewer. `in_fours`: as one, at an
/// address that allows it.
template <typename Element>
__device__ Vec4<Element> read_four(const Element* from, int count, bool in_fours) {
  if (in_fours) return *reinterpret_cast<const Vec4<Element>*>(from);
  Vec4<Element> values{};
  GAUSSCSE_UNROLL
  for (int i = 0; i < 4; ++i)
    if (i < count) values.at[i] = from[i];
  return values;
}
/// Writes up to four elements there.
template <typename Element>
__device__ void write_four(const Vec4<Element>& values, Element* to, int count, bool in_fours) {
  if (in_fours) {
    *reinterpret_cast<Vec4<Element>*>(to) = values;
    return;
  }
  GAUSSCSE_UNROLL
  for (int i = 0; i < 4; ++i)
    if (i < count) to[i] = values.at[i];
}

constexpr int round_up_to_four(int count) {
  return (count + 3) / 4 * 4;
}

#ifdef __CUDACC__

/// Returns elements `first` to first + 3 of an array in shared memory; `first` is a multiple of four. It reads an array
/// of fours, so that the compiler knows the alignment.
template <typename T>
__device__ Vec4<T> four_at(const T* array, int first) {
  return reinterpret_cast<const Vec4<T>*>(array)[static_cast<unsigned>(first) / 4];
}
template <typename T>
__device__ void store_four(const Vec4<T>& values, T* array, int first) {
  reinterpret_cast<Vec4<T>*>(array)[static_cast<unsigned>(first) / 4] = values;
}

#else

inline void expect_multiple_of_four(int first) {
  if (first % 4 != 0) throw std::logic_error("four elements from element " + std::to_string(first) + " on");
}
template <typename T>
Vec4<T> four_at(SharedPointer<T> array, int first) {
  expect_multiple_of_four(first);
  return {{array[first], array[first + 1], array[first + 2], array[first + 3]}};
}
template <typename T>
void store_four(const Vec4<T>& values, SharedPointer<T> array, int first) {
  expect_multiple_of_four(first);
  for (int i = 0; i < 4; ++i) array[first + i] = values.at[i];
}

#endif

}  // namespace gausscse::kernels::cuda
