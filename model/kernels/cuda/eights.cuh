#pragma once

#include <cstring>

#include "model/kernels/cuda/factor.cuh"
#include "model/kernels/cuda/language.cuh"

namespace gausscse::kernels::cuda {

// Rows in eights of neighbours, which a thread reads and writes by accesses of 16 bytes: one for factors in bfloat16,
// two for float32. They need addresses that are multiples of 16 bytes.

/// Eight neighbours of a row in registers.
template <typename T>
struct alignas(16) Vec8 {
  T at[8];
};

/// Eight numbers of bfloat16: number 2*i is the lower half of word i.
template <>
struct alignas(16) Vec8<Bfloat16> {
  std::uint32_t words[4];
};

/// Returns number `i` of an eight, to compute with.
template <typename T>
__device__ T value_at(const Vec8<T>& eight, int i) {
  return eight.at[i];
}
__device__ inline float value_at(const Vec8<Bfloat16>& eight, int i) {
  const std::uint32_t word = eight.words[i / 2];
  return __int_as_float(static_cast<int>(i % 2 == 0 ? word << 16 : word & 0xFFFF0000u));
}

/// Returns the values as an eight; those of bfloat16 are rounded as `put` rounds them.
template <typename T>
__device__ void store_values(const T (&values)[8], Vec8<T>& to) {
  GAUSSCSE_UNROLL
  for (int i = 0; i < 8; ++i) to.at[i] = values[i];
}
__device__ inline void store_values(const float (&values)[8], Vec8<Bfloat16>& to) {
  GAUSSCSE_UNROLL
  for (int i = 0; i < 4; ++i) {
#ifdef __CUDACC__
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(to.words[i]) : "f"(values[2 * i + 1]), "f"(values[2 * i]));
#else
    Bfloat16 low, high;
    put(values[2 * i], low);
    put(values[2 * i + 1], high);
    to.words[i] = static_cast<std::uint32_t>(low.bits) | static_cast<std::uint32_t>(high.bits) << 16;
#endif
  }
}

#ifdef __CUDACC__

template <typename T>
__device__ Vec8<T> read_eight(const T* from) {
  return *reinterpret_cast<const Vec8<T>*>(from);
}
/// Returns an eight of an array in shared memory, from element `first` on, a multiple of eight.
__device__ inline Vec8<Bfloat16> eight_at(const Bfloat16* array, int first) {
  return reinterpret_cast<const Vec8<Bfloat16>*>(array)[static_cast<unsigned>(first) / 8];
}
/// Writes an eight to shared memory, from element `first` of an array on, a multiple of eight.
__device__ inline void store_eight(const Vec8<Bfloat16>& values, Bfloat16* array, int first) {
  reinterpret_cast<Vec8<Bfloat16>*>(array)[static_cast<unsigned>(first) / 8] = values;
}
template <typename T>
__device__ void write_eight(const Vec8<T>& values, T* to) {
  uint4 parts[sizeof values / sizeof(uint4)];
  memcpy(parts, &values, sizeof values);
  GAUSSCSE_UNROLL
  for (unsigned i = 0; i < sizeof parts / sizeof(uint4); ++i)
    // The compiler itself might write each number alone.
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(reinterpret_cast<uint4*>(to) + i), "r"(parts[i].x),
                 "r"(parts[i].y), "r"(parts[i].z), "r"(parts[i].w)
                 : "memory");
}

#else

inline void expect_multiple_of_16_bytes(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0) throw std::logic_error("an eight at an odd address");
}
template <typename T>
Vec8<T> read_eight(const T* from) {
  expect_multiple_of_16_bytes(from);
  Vec8<T> values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline void expect_multiple_of_eight(int first) {
  if (first % 8 != 0) throw std::logic_error("an eight from element " + std::to_string(first) + " on");
}
inline Vec8<Bfloat16> eight_at(SharedPointer<Bfloat16> array, int first) {
  expect_multiple_of_eight(first);
  Vec8<Bfloat16> values{};
  for (int i = 0; i < 8; ++i) {
    const Bfloat16 value = array[first + i];
    values.words[i / 2] |= static_cast<std::uint32_t>(value.bits) << 16 * (i % 2);
  }
  return values;
}
inline void store_eight(const Vec8<Bfloat16>& values, SharedPointer<Bfloat16> array, int first) {
  expect_multiple_of_eight(first);
  for (int i = 0; i < 8; ++i)
    array[first + i] = Bfloat16{static_cast<std::uint16_t>(values.words[i / 2] >> 16 * (i % 2))};
}
template <typename T>
void write_eight(const Vec8<T>& values, T* to) {
  expect_multiple_of_16_bytes(to);
  std::memcpy(static_cast<void*>(to), &values, sizeof values);
}

#endif

/// Writes eight values to `to`.
template <typename T, typename To>
__device__ void write_values(const T (&values)[8], To* to) {
  Vec8<To> eight;
  store_values(values, eight);
  write_eight(eight, to);
}

/// Returns the first `count` of eight neighbours at any address, and zeros.
template <typename Value, typename T>
__device__ Vec8<T> read_some(const T* from, int count) {
  Value values[8];
  GAUSSCSE_UNROLL
  for (int i = 0; i < 8; ++i) values[i] = i < count ? value_of(from[i]) : Value{0};
  Vec8<T> eight;
  store_values(values, eight);
  return eight;
}
/// Writes the first `count` values to any address.
template <typename T, typename To>
__device__ void write_some(const T (&values)[8], To* to, int count) {
  GAUSSCSE_UNROLL
  for (int i = 0; i < 8; ++i)
    if (i < count) put(values[i], to[i]);
}

/// Returns whether all of these arrays, or none where null, begin at a multiple of 16 bytes.
template <typename... Arrays>
bool begin_with_eights(const Arrays*... arrays) {
  return ((reinterpret_cast<std::uintptr_t>(arrays) % 16 == 0) && ...);
}

}  // namespace gausscse::kernels::cuda
