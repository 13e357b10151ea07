#pragma once

#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Turns one row, see Kernels::rotate.
template <typename T, typename Factor>
inline void rotate_row(Factor* x, const RotatedColumns& columns, const T* angles, T direction) {
  const std::int64_t half = columns.head_size / 2;
  for (std::int64_t head = 0; head < columns.heads; ++head) {
    Factor* const a = x + head * columns.head_size;
    Factor* const b = a + half;
    for_each_register<T>(half, [=](std::int64_t c, auto count) {
      const Register<T> cosine = load_some(angles + c, count), sine = load_some(angles + half + c, count) * direction;
      const Register<T> of_a = load_values(a + c, count), of_b = load_values(b + c, count);
      store_values(of_a * cosine - of_b * sine, a + c, count);
      store_values(of_b * cosine + of_a * sine, b + c, count);
    });
  }
}

template <typename T, typename Factor>
void rotate(const KernelContext&, Factor* x, const RotatedColumns& columns, const T* angles,
            const std::uint32_t* positions, double direction) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < columns.rows; ++r)
    rotate_row(x + r * columns.stride + columns.first, columns, angles + positions[r] * columns.head_size,
               static_cast<T>(direction));
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
