#pragma once

#include <cmath>

#include "model/kernels/cuda/layer_norm_arguments.cuh"
#include "model/kernels/cuda/reductions.cuh"

namespace gausscse::kernels::cuda {

// Layer norms of rows of any width: a block works on one row, which it keeps in shared memory.

/// Threads of a block. A thread owns the elements of a row that share Philox counters,
/// so that each counter is run once: elements 16 apart, neighbours next to each other in neighbouring threads.
constexpr unsigned layer_norm_threads = 128;

/// Calls `visit(element, keeps, scale)` for each element of a row that is this thread's; where dropout is not active
/// the element is kept and scaled by 1.
template <typename T, typename Visit>
__device__ void for_own_elements(const DropoutSite& site, const RowIdentity& identity, std::int64_t row,
                                 std::int64_t hidden, const Visit& visit) {
  const std::int64_t counters = parts_of(hidden, dropout_group) * dropout_counters;
  const T scale = static_cast<T>(site.scale);
  for (std::int64_t counter = threadIdx.x; counter < counters; counter += blockDim.x) {
    PhiloxCounter words{};
    if (site.active())
      words = dropout_words(site, identity.sample[row], identity.position[row], static_cast<std::uint32_t>(counter));
    for (std::uint32_t word = 0; word < 4; ++word) {
      const std::int64_t element = dropout_element(static_cast<std::uint32_t>(counter), word);
      if (element < hidden) visit(element, words[word] >= site.threshold ? scale : T{0});
    }
  }
}

template <typename T, typename Factor>
__global__ void add_layer_norm_of_blocks_kernel(AddLayerNorm<T, Factor> a) {
  using std::sqrt;
  SharedArrays shared;
  const SharedPointer<T> sums = shared.take<T>(static_cast<std::size_t>(a.hidden));
  const SharedPointer<T> of_warps = shared.take<T>(blockDim.x / warp_size);
  const std::int64_t row = blockIdx.x, begin = row * a.hidden;

  T total = 0;
  for_own_elements<T>(a.dropout, a.identity, row, a.hidden, [&](std::int64_t c, T mask) {
    T value = a.x ? masked<T>(value_of(a.x[begin + c]) + a.bias[c], mask) : T{0};
    if (a.residual) value += a.residual[begin + c];
    sums[c] = value;
    if (a.sum) a.sum[begin + c] = value;
    total += value;
  });
  const T mean = block_sum(total, of_warps) / static_cast<T>(a.hidden);
  T squares = 0;
  for_own_elements<T>({}, a.identity, row, a.hidden, [&](std::int64_t c, T) {
    const T centred = sums[c] - mean;
    squares += centred * centred;
  });
  const T variance = block_sum(squares, of_warps) / static_cast<T>(a.hidden);
  const T inverse = T{1} / sqrt(variance + a.epsilon);
  if (a.normalized && threadIdx.x == 0) a.inverse_deviation[row] = inverse;
  for_own_elements<T>(a.output_dropout, a.identity, row, a.hidden, [&](std::int64_t c, T mask) {
    const T kept = (sums[c] - mean) * inverse;
    if (a.normalized) a.normalized[begin + c] = kept;
    const T value = masked(kept * a.gamma[c] + a.beta[c], mask);
    a.out[begin + c] = value;
    if (a.factor) put(value, a.factor[begin + c]);
  });
}

template <typename T, typename Factor>
__global__ void add_layer_norm_backward_of_blocks_kernel(AddLayerNormBackward<T, Factor> a) {
  SharedArrays shared;
  const SharedPointer<T> grads = shared.take<T>(static_cast<std::size_t>(a.hidden));
  const SharedPointer<T> sums = shared.take<T>(static_cast<std::size_t>(3 * a.hidden));
  const SharedPointer<T> of_warps = shared.take<T>(blockDim.x / warp_size);
  const SharedPointer<T> gamma_sums = sums, beta_sums = sums + a.hidden, bias_sums = sums + 2 * a.hidden;
  const std::int64_t first = std::int64_t{blockIdx.x} * a.rows_of_block;
  const std::int64_t end = a.rows - first < a.rows_of_block ? a.rows : first + a.rows_of_block;
  const T width = static_cast<T>(a.hidden);

  // A thread has the same elements in every row: their sums need no barrier.
  for_own_elements<T>({}, a.identity, first, a.hidden, [&](std::int64_t c, T) {
    gamma_sums[c] = 0;
    beta_sums[c] = 0;
    bias_sums[c] = 0;
  });
  for (std::int64_t row = first; row < end; ++row) {
    const std::int64_t begin = row * a.hidden;
    T sum = 0, projection = 0;
    for_own_elements<T>(a.output_dropout, a.identity, row, a.hidden, [&](std::int64_t c, T mask) {
      T grad = a.of_sum ? T{0} : a.grad_out[begin + c];
      if (a.grad_addend) grad += value_of(a.grad_addend[begin + c]);
      grad = masked(grad, mask);
      const T value = a.normalized[begin + c];
      gamma_sums[c] += grad * value;
      beta_sums[c] += grad;
      const T scaled = grad * a.gamma[c];
      grads[c] = scaled;
      sum += scaled;
      projection += scaled * value;
    });
    sum = block_sum(sum, of_warps) / width;
    projection = block_sum(projection, of_warps) / width;
    const T inverse = a.inverse_deviation[row];
    for_own_elements<T>(a.dropout, a.identity, row, a.hidden, [&](std::int64_t c, T mask) {
      T grad = (grads[c] - sum - a.normalized[begin + c] * projection) * inverse;
      if (a.of_sum) grad += a.grad_out[begin + c];
      a.grad_residual[begin + c] = grad;
      if (!a.grad_x) return;
      const T grad_x = masked(grad, mask);
      bias_sums[c] += grad_x;
      put(grad_x, a.grad_x[begin + c]);
    });
  }
  T* const partial = a.partials + std::int64_t{blockIdx.x} * 3 * a.hidden;
  for_own_elements<T>({}, a.identity, first, a.hidden, [&](std::int64_t c, T) {
    partial[c] = gamma_sums[c];
    partial[a.hidden + c] = beta_sums[c];
    partial[2 * a.hidden + c] = bias_sums[c];
  });
}

}  // namespace gausscse::kernels::cuda
