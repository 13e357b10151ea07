#pragma once

#include <cmath>

#include "model/kernels/cuda/contrastive/product.cuh"

namespace gausscse::kernels::cuda {

/// Rows whose mean is the centre. Any point among the rows will do: it need not be that of all of them.
constexpr std::int64_t rows_of_centre = 64;
constexpr unsigned centre_threads = 128;

/// Computes centre[c] = the mean of column c of `rows`.
template <typename T>
__global__ void centre_kernel(const T* rows, std::int64_t count, std::int64_t width, T* centre) {
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= width) return;
  T sum = 0;
  GAUSSCSE_UNROLL_BY(8)
  for (std::int64_t row = 0; row < count; ++row) sum += rows[row * width + column];
  centre[column] = sum / static_cast<T>(count);
}

/// Results of `product_rows_kernel`, for all packed rows; see ProductRows. `rough` [rows] is 1 where a row lies so far
/// from the centre that products are not to be taken: see `is_rough`.
template <typename T>
struct ProductRowsToWrite {
  T *rests_as_p, *rests_as_q, *limits;
  std::int32_t* rough;
};

/// Returns the sum x over dimensions of 2 kl below which a pair is close. Two kinds of rounding to float32, by up to
/// 2^-24 of a number, disturb a sum of products of D dimensions:
///
///   that of features and rests, whose magnitudes add up to a few times D + E, with E the sum of m_q^2 / v_q. Errors of
///   some 2 D terms add up like the root of their number: to 2e-8 (D + E)
///   that of the sum on its way, up to x, after each of 2 D additions: to 1.5e-6 x
///
/// The similarity 2 / (2 + x), which counts after division by the temperature, then is off by 2 / x^2 of that. Beyond
/// this limit each part is below 5e-6.
template <typename T>
__device__ T closest_sum(T energy, std::int64_t dimension, double temperature) {
  using std::sqrt;
  const T inverse = T{1} / static_cast<T>(temperature);
  const T by_terms = sqrt(T{0.01f} * (static_cast<T>(dimension) + energy) * inverse), by_additions = T{0.6f} * inverse;
  return by_terms > by_additions ? by_terms : by_additions;
}

/// Returns whether terms of a row's sums are larger than its own divergences by more than rounding allows: by the sums
/// over dimensions of m^2 / v and of |l|.
template <typename T>
__device__ bool is_rough(T energy, T log_var, std::int64_t dimension) {
  // Not a number is rough.
  return !(energy <= T{8} * static_cast<T>(dimension) && log_var <= T{2} * static_cast<T>(dimension));
}

/// Computes rests, limit and roughness of packed row blockIdx.x.
template <typename T>
__global__ void product_rows_kernel(const PackedGaussian<T>* packed, const T* centre, std::int64_t dimension,
                                    double temperature, ProductRowsToWrite<T> out) {
  SharedArrays shared;
  const SharedPointer<T> of_warps = shared.take<T>(pack_threads / warp_size);
  const std::int64_t row = blockIdx.x, parts = parts_of(dimension, product_dimensions);
  T energies = 0, log_vars = 0;
  for (std::int64_t first = 0; first < dimension; first += pack_threads) {
    const std::int64_t d = first + threadIdx.x;
    T energy = 0, log_var = 0, one = 0;
    if (d < dimension) {
      const PackedGaussian<T> here = packed[row * dimension + d];
      const T mean = here.mean - centre[d];
      energy = mean * mean * here.inverse;
      log_var = here.log_var - centre[dimension + d];
      one = 1;
    }
    energies += energy;
    log_vars += log_var < T{0} ? -log_var : log_var;
    T as_p = -log_var, as_q = energy + log_var - one;
    for (int mask = static_cast<int>(product_dimensions) / 2; mask > 0; mask /= 2) {
      as_p += __shfl_xor_sync(all_lanes, as_p, mask);
      as_q += __shfl_xor_sync(all_lanes, as_q, mask);
    }
    if (d < dimension && d % product_dimensions == 0) {
      out.rests_as_p[row * parts + d / product_dimensions] = as_p;
      out.rests_as_q[row * parts + d / product_dimensions] = as_q;
    }
  }
  energies = block_sum(energies, of_warps);
  log_vars = block_sum(log_vars, of_warps);
  if (threadIdx.x != 0) return;
  out.limits[row] = closest_sum(energies, dimension, temperature);
  out.rough[row] = is_rough(energies, log_vars, dimension) ? 1 : 0;
}

/// Pairs of different examples that are looked at; where over one in `close_share` of them is close, computing the
/// close ones again would take longer than products save.
constexpr std::int64_t pairs_of_sample = 1024, close_share = 32;
constexpr unsigned sample_threads = 256;

/// Computes close[s] = whether pair s of the sample is close, a warp for each pair.
template <typename T, typename S>
__global__ void sample_kernel(PackedContrast<T> contrast, std::int32_t* close) {
  const std::int64_t sample = std::int64_t{blockIdx.x} * (sample_threads / warp_size) + threadIdx.x / warp_size;
  const std::int64_t anchor = sample * contrast.anchor_count / pairs_of_sample, count = contrast.candidate_count;
  // Any but the anchor's own.
  const std::int64_t own = (contrast.first_own + anchor) % count;
  const std::int64_t candidate = (own + count + 1 + sample * 7919 % (count > 1 ? count - 1 : 1)) % count;
  const RowsOfTile<T> q = tile_of_anchors(contrast, 0, anchor, 1), p = tile_of_candidates(contrast, 0, candidate, 1);
  const T sum = sum_by_differences<T, S>(p.rows, q.rows, contrast.dimension);
  const T limit = contrast.products.limits[q.number];
  if (threadIdx.x % warp_size == 0) close[sample] = sum >= limit ? 0 : 1;
}

constexpr unsigned form_threads = 256;

/// Returns in the first thread of the block how many of `flags` are not 0.
__device__ inline std::int32_t count_of(const std::int32_t* flags, std::int64_t count,
                                        SharedPointer<std::int32_t> of_warps) {
  std::int32_t found = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) found += flags[i] != 0 ? 1 : 0;
  return block_sum(found, of_warps);
}

/// Decides the form of a call (see PairAlgorithm) from flags of the packed rows and of the sample; the latter two are
/// null where products do not serve.
template <typename T>
__global__ void form_kernel(const std::int32_t* wide, const std::int32_t* rough, const std::int32_t* close,
                            std::int64_t rows, std::int32_t* form) {
  SharedArrays shared;
  const SharedPointer<std::int32_t> of_warps = shared.take<std::int32_t>(form_threads / warp_size);
  std::int32_t decided = close ? by_products : by_differences;
  if (close && count_of(rough, rows, of_warps) > 0) decided = by_differences;
  if (close && count_of(close, pairs_of_sample, of_warps) * close_share > pairs_of_sample) decided = by_differences;
  if (count_of(wide, rows, of_warps) > 0) decided = by_wide_pairs;
  if (threadIdx.x == 0) *form = decided;
}

/// Scratch memory of `find_form`.
template <typename T>
struct FormScratch {
  T* centre;
  ProductRowsToWrite<T> rows;
  std::int32_t *close, *form;
};

/// Finds the form of a call whose `rows` rows are packed. Products serve where `scratch.centre` is there.
template <typename T>
void find_form(const KernelContext& context, const T* first_rows, std::int64_t first_count,
               const PackedGaussian<T>* packed, const std::int32_t* wide, std::int64_t rows,
               const FormScratch<T>& scratch, const PackedContrast<T>& contrast) {
  const std::int32_t *rough = nullptr, *close = nullptr;
  if (scratch.centre) {
    const std::int64_t width = 2 * contrast.dimension;
    launch(context, {parts_of(width, centre_threads), 1, centre_threads, 0}, centre_kernel<T>, first_rows,
           first_count < rows_of_centre ? first_count : rows_of_centre, width, scratch.centre);
    launch(context, {rows, 1, pack_threads, shared_bytes_of<T>(pack_threads / warp_size)}, product_rows_kernel<T>,
           packed, scratch.centre, contrast.dimension, contrast.temperature, scratch.rows);
    launch(context, {pairs_of_sample * warp_size / sample_threads, 1, sample_threads, 0},
           sample_kernel<T, Joint<DeviceMath>>, contrast, scratch.close);
    rough = scratch.rows.rough;
    close = scratch.close;
  }
  launch(context, {1, 1, form_threads, shared_bytes_of<std::int32_t>(form_threads / warp_size)}, form_kernel<T>, wide,
         rough, close, rows, scratch.form);
}

}  // namespace gausscse::kernels::cuda
