#pragma once

#include <cmath>

#include "model/kernels/cuda/eights.cuh"
#include "model/kernels/cuda/fours.cuh"
#include "model/kernels/cuda/language.cuh"
#include "model/kernels/cuda/reductions.cuh"

namespace gausscse::kernels::cuda {

constexpr unsigned optimizer_threads = 256;
/// Neighbouring values of a thread of `adamw`, which it reads and writes at once.
constexpr int adamw_values = 4;

/// Numbers that are the same for all values in a step of `adamw`, but for the scale of the gradients.
template <typename T>
struct AdamWNumbers {
  T keep, beta1, beta2, rest1, rest2, step, root_correction, epsilon;
  double clip_norm;
  const double* squared_norm;
};

/// Updates values. All threads of a block search for the same place among the bounds of decaying runs, and go on from
/// there.
template <typename T>
__global__ void adamw_kernel(AdamWValues<T> values, AdamWNumbers<T> numbers, bool aligned) {
  using std::sqrt;
  const std::int64_t block = std::int64_t{blockIdx.x} * adamw_values * blockDim.x;
  const std::int64_t first = block + std::int64_t{threadIdx.x} * adamw_values, left = values.count - first;
  if (left <= 0) return;
  const int count = left < adamw_values ? static_cast<int>(left) : adamw_values;
  const bool in_fours = aligned && count == adamw_values;
  Vec4<T> value = read_four(values.value + first, count, in_fours);
  const Vec4<T> gradient = read_four(values.gradient + first, count, in_fours);
  Vec4<T> moment1 = read_four(values.moment1 + first, count, in_fours);
  Vec4<T> moment2 = read_four(values.moment2 + first, count, in_fours);
  std::int64_t bound = bounds_up_to(values.decaying, block);
  const double norm = numbers.clip_norm > 0 ? sqrt(*numbers.squared_norm) : 0.0;
  const T scale = static_cast<T>(norm > numbers.clip_norm ? numbers.clip_norm / norm : 1.0);
  Vec4<Bfloat16> rounded;
  GAUSSCSE_UNROLL
  for (int i = 0; i < adamw_values; ++i) {
    while (bound < 2 * values.decaying.count && values.decaying.bounds[bound] <= first + i) ++bound;
    const T keep = bound % 2 == 1 ? numbers.keep : T{1};
    const T g = gradient.at[i] * scale;
    const T m = numbers.beta1 * moment1.at[i] + numbers.rest1 * g;
    const T v = numbers.beta2 * moment2.at[i] + numbers.rest2 * g * g;
    moment1.at[i] = m;
    moment2.at[i] = v;
    value.at[i] = value.at[i] * keep - numbers.step * m / (sqrt(v) * numbers.root_correction + numbers.epsilon);
    put(static_cast<float>(value.at[i]), rounded.at[i]);
  }
  write_four(moment1, values.moment1 + first, count, in_fours);
  write_four(moment2, values.moment2 + first, count, in_fours);
  write_four(value, values.value + first, count, in_fours);
  if (values.rounded) write_four(rounded, values.rounded + first, count, in_fours);
}

/// See Kernels. *squared_norm lies on the GPU; blocks at rest are not distinguished.
template <typename T>
void adamw(const KernelContext& context, const AdamWValues<T>& values, const AdamWStep& step) {
  const AdamWNumbers<T> numbers{static_cast<T>(1.0 - step.learning_rate * step.weight_decay),
                                static_cast<T>(step.beta1),
                                static_cast<T>(step.beta2),
                                static_cast<T>(1.0 - step.beta1),
                                static_cast<T>(1.0 - step.beta2),
                                static_cast<T>(step.learning_rate / step.correction1),
                                static_cast<T>(1.0 / std::sqrt(step.correction2)),
                                static_cast<T>(step.epsilon),
                                step.clip_norm,
                                step.squared_norm};
  launch(context, {parts_of(values.count, adamw_values * optimizer_threads), 1, optimizer_threads, 0}, adamw_kernel<T>,
         values, numbers,
         begin_with_eights(values.value, values.gradient, values.moment1, values.moment2, values.rounded));
}

/// Elements whose squares a block adds up.
constexpr std::int64_t squares_of_part = 1 << 14;

template <typename T>
__global__ void sum_of_squares_kernel(const T* x, std::int64_t count, double* partials) {
  SharedArrays shared;
  const SharedPointer<double> of_warps = shared.take<double>(optimizer_threads / warp_size);
  const std::int64_t begin = blockIdx.x * squares_of_part;
  const std::int64_t end = count - begin < squares_of_part ? count : begin + squares_of_part;
  double sum = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += optimizer_threads) {
    const auto value = static_cast<double>(x[i]);
    sum += value * value;
  }
  sum = block_sum(sum, of_warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

/// Computes *sum = partials[0] + partials[1] + ..., by one block.
template <typename T>
__global__ void sum_of_partials_kernel(const T* partials, std::int64_t parts, T* sum) {
  SharedArrays shared;
  const SharedPointer<T> of_warps = shared.take<T>(optimizer_threads / warp_size);
  T total = 0;
  for (std::int64_t part = threadIdx.x; part < parts; part += optimizer_threads) total += partials[part];
  total = block_sum(total, of_warps);
  if (threadIdx.x == 0) *sum = total;
}

/// See Kernels.
template <typename T>
void sum_of_squares(const KernelContext& context, const T* x, std::int64_t count, double* sum) {
  const std::int64_t parts = parts_of(count, squares_of_part);
  const std::size_t bytes = shared_bytes_of<double>(optimizer_threads / warp_size);
  double* partials = nullptr;
  if (parts > 0)
    partials = static_cast<double*>(context.scratch->get(static_cast<std::size_t>(parts) * sizeof(double)));
  launch(context, {parts, 1, optimizer_threads, bytes}, sum_of_squares_kernel<T>, x, count, partials);
  launch(context, {1, 1, optimizer_threads, bytes}, sum_of_partials_kernel<double>, partials, parts, sum);
}

}  // namespace gausscse::kernels::cuda
