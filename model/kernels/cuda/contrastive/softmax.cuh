#pragma once

#include "model/kernels/cuda/contrastive/sums.cuh"

namespace gausscse::kernels::cuda {

/// The largest of some similarities (-infinity if there is none), and the sum of exp((similarity - largest) /
/// temperature).
struct PartOfSoftmax {
  double largest, sum;
};

/// Returns the larger one; NaN if one is.
__device__ inline double larger(double a, double b) {
  return b > a || b != b ? b : a;
}

/// Returns both together; NaN if one is. `rate` is 1 / temperature.
__device__ inline PartOfSoftmax joined(const PartOfSoftmax& a, const PartOfSoftmax& b, double rate) {
  const double largest = larger(a.largest, b.largest);
  // The difference of infinities is no number.
  const double of_a = a.largest == largest ? 1.0 : exp((a.largest - largest) * rate);
  const double of_b = b.largest == largest ? 1.0 : exp((b.largest - largest) * rate);
  return {largest, a.sum * of_a + b.sum * of_b};
}

/// State of the anchors' softmax when a call begins.
enum class SoftmaxUse {
  begins,   ///< empty: the candidates of the call are all there are
  goes_on,  ///< holds other candidates; those of the call are added
  is_known  ///< holds all candidates: only weights are to be found
};

constexpr unsigned softmax_threads = 256;

/// Similarity of a pair that the mask leaves out.
constexpr double of_no_negative = -static_cast<double>(INFINITY);

/// Returns the largest value of a block, the same in each thread. See `block_sum`.
__device__ inline double block_largest(double value, SharedPointer<double> of_warps) {
  for (int mask = 16; mask > 0; mask /= 2) value = larger(value, __shfl_xor_sync(all_lanes, value, mask));
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = value;
  __syncthreads();
  value = of_warps[0];
  for (unsigned warp = 1; warp < softmax_threads / warp_size; ++warp) value = larger(value, of_warps[warp]);
  __syncthreads();
  return value;
}

/// Returns a similarity from its sums over parts of the dimensions, which lie `size` apart.
template <typename S, typename T>
__device__ T similarity_of_parts(const T* sums, int parts, std::int64_t size, std::int64_t dimension) {
  T sum = 0;
  int part = 0;
  GAUSSCSE_UNROLL_BY(8)
  do {
    sum += sums[part * size];
  } while (++part < parts);
  const Quotient similarity =
      S::similarity(Quotient(static_cast<double>(sum)), Quotient(static_cast<double>(dimension)));
  return static_cast<T>(similarity.value);
}

/// Adds the pairs of anchor blockIdx.x to its softmax, unless that is known. If `weight` is not 0, replaces their sums
/// by weights of the gradient: the derivative of the sum of -log(...) by the similarity, times `weight` and the
/// similarity's slope. In float64: a pair has but two exponentials, and hundreds of dimensions.
template <typename T, typename S, SoftmaxUse use>
__global__ void __launch_bounds__(softmax_threads, 4)
    softmax_kernel(PackedContrast<T> contrast, PairValues<T> pairs, RunningSoftmax softmax, double weight) {
  SharedArrays shared;
  const SharedPointer<double> of_warps = shared.take<double>(softmax_threads / warp_size);
  const int anchor = static_cast<int>(blockIdx.x), count = static_cast<int>(contrast.pairs_of_anchor());
  const std::int64_t part = contrast.anchor_count * contrast.pairs_of_anchor();
  // Of the first term; -1 where it is none of these candidates.
  const std::int64_t own_candidate = contrast.first_own + anchor;
  const int own = own_candidate >= 0 && own_candidate < contrast.candidate_count ? static_cast<int>(own_candidate) : -1;
  const double rate = DeviceMath::reciprocal(contrast.temperature);
  T* const values = pairs.values + std::int64_t{anchor} * count;
  const auto store_similarity = [&](int i) {
    const T similarity = contrast.leaves_out(anchor, i)
                             ? static_cast<T>(of_no_negative)
                             : similarity_of_parts<S>(values + i, pairs.dimension_parts, part, contrast.dimension);
    values[i] = similarity;
    return static_cast<double>(similarity);
  };

  PartOfSoftmax all;
  if constexpr (use == SoftmaxUse::is_known) {
    all = {softmax.largest[anchor], softmax.sum[anchor]};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += softmax_threads) store_similarity(i);
  } else {
    double largest = -static_cast<double>(INFINITY), sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += softmax_threads) {
      const double similarity = store_similarity(i);
      largest = larger(largest, similarity);
      if (i == own) softmax.positive[anchor] = similarity;
    }
    largest = block_largest(largest, of_warps);
    // The difference of infinities is no number.
    for (int i = static_cast<int>(threadIdx.x); i < count; i += softmax_threads)
      if (const double similarity = static_cast<double>(values[i]); similarity != of_no_negative)
        sum += exp((similarity - largest) * rate);
    all = {largest, block_sum(sum, of_warps)};
    if constexpr (use == SoftmaxUse::goes_on) all = joined({softmax.largest[anchor], softmax.sum[anchor]}, all, rate);
    if (threadIdx.x == 0) {
      softmax.largest[anchor] = all.largest;
      softmax.sum[anchor] = all.sum;
    }
  }
  if (use == SoftmaxUse::goes_on || weight == 0) return;
  const double of_sum = weight * rate * DeviceMath::reciprocal(all.sum);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += softmax_threads) {
    const double similarity = static_cast<double>(values[i]);
    if (similarity == of_no_negative) {
      values[i] = 0;
      continue;
    }
    const double derivative = of_sum * exp((similarity - all.largest) * rate) - (i == own ? weight * rate : 0.0);
    values[i] = static_cast<T>(derivative * S::slope(similarity, static_cast<double>(contrast.dimension)));
  }
}

constexpr unsigned loss_threads = 256;

/// Computes *loss = `weight` times the sum of the anchors' -log(...). One block.
template <typename T>
__global__ void loss_of_softmax_kernel(RunningSoftmax softmax, std::int64_t anchors, double temperature, double weight,
                                       double* loss) {
  SharedArrays shared;
  const SharedPointer<double> of_warps = shared.take<double>(loss_threads / warp_size);
  double sum = 0;
  for (std::int64_t anchor = threadIdx.x; anchor < anchors; anchor += blockDim.x)
    sum += log(softmax.sum[anchor]) + (softmax.largest[anchor] - softmax.positive[anchor]) / temperature;
  sum = block_sum(sum, of_warps);
  if (threadIdx.x == 0) *loss = weight * sum;
}

}  // namespace gausscse::kernels::cuda
