#pragma once

#include "model/kernels/cuda/device_math.cuh"
#include "model/kernels/cuda/reductions.cuh"
#include "model/similarities/evaluation_forms.hpp"
#include "model/similarities/list.hpp"

namespace gausscse::kernels::cuda {

static_assert(ArithmeticOf<DeviceMath, float> && ArithmeticOf<DeviceMath, double>);

/// One dimension of a Gaussian as the contrastive kernels read it: in one go.
template <typename T>
struct alignas(16) PackedGaussian : Gaussian<T> {};

/// Stands in for a row that there is none of; gives finite numbers.
template <typename T>
__device__ PackedGaussian<T> standard_gaussian() {
  return {{T{0}, T{1}, T{1}, T{0}}};
}

/// Returns whether a dimension is so far out that a product of packed values may leave T's range. Within it, the ratio
/// of two variances and a squared difference of means over a variance are below 1e37 in float and 1e300 in double.
template <typename T>
__device__ bool is_wide(T mean, T log_var) {
  constexpr T most_mean = static_cast<T>(sizeof(T) == 4 ? 1e9 : 1e50), most_log_var = sizeof(T) == 4 ? 40 : 300;
  // Not a number is wide.
  return !(mean >= -most_mean && mean <= most_mean && log_var >= -most_log_var && log_var <= most_log_var);
}

/// Rows of [mean | log_var] and where they are packed to, [count, dimension]. `wide` [count] says whether a row has a
/// wide dimension.
template <typename T>
struct RowsToPack {
  const T* rows;
  std::int64_t count;
  PackedGaussian<T>* packed;
  std::int32_t* wide;
};

/// Up to three roles of anchors and of candidates.
template <typename T>
struct RolesToPack {
  RowsToPack<T> roles[6];
  std::int64_t dimension;
};

constexpr unsigned pack_threads = 128;

/// Packs row blockIdx.x of role blockIdx.y in a block.
template <typename T, typename S>
__global__ void pack_gaussians_kernel(RolesToPack<T> all) {
  SharedArrays shared;
  const SharedPointer<std::int32_t> of_warps = shared.take<std::int32_t>(pack_threads / warp_size);
  const RowsToPack<T> role = all.roles[blockIdx.y];
  const std::int64_t row = blockIdx.x;
  if (row >= role.count) return;
  std::int32_t wide = 0;
  for (std::int64_t d = threadIdx.x; d < all.dimension; d += blockDim.x) {
    const T mean = role.rows[row * 2 * all.dimension + d];
    const T log_var = role.rows[row * 2 * all.dimension + all.dimension + d];
    const T spread = static_cast<T>(S::spread(static_cast<double>(log_var)));
    // The inverse of the rounded one: the ratio of equal variances is then as near 1 as can be.
    role.packed[row * all.dimension + d] = {{mean, spread, T{1} / spread, log_var}};
    wide += is_wide(mean, log_var) ? 1 : 0;
  }
  wide = block_sum(wide, of_warps);
  if (threadIdx.x == 0) role.wide[row] = wide;
}

/// Packs `roles` roles; their `wide` lie behind each other.
template <typename T>
void pack_gaussians(const KernelContext& context, Similarity kind, const RolesToPack<T>& all, int roles) {
  std::int64_t most = 0;
  for (int role = 0; role < roles; ++role) most = all.roles[role].count > most ? all.roles[role].count : most;
  with_similarity<DeviceMath>(kind, [&](auto of) {
    launch(context, {most, roles, pack_threads, shared_bytes_of<std::int32_t>(pack_threads / warp_size)},
           pack_gaussians_kernel<T, decltype(of)>, all);
  });
}

/// Form in which the kernels of a call compute pairs. The values of the rows decide it, and only the GPU has these. To
/// choose a kernel the host would have to wait for the GPU in every step. So `form_kernel` writes the form to the GPU's
/// memory, the host starts the kernels of all forms, and those of the other forms return at once:
///
///     kernel                                by_products  by_differences  by_wide_pairs
///     pair_sums_kernel of ProductTile            x
///     pair_sums_kernel of DifferenceTile                        x              x
///     softmax_kernel                             x              x              x
///     contrastive_gradient_kernel                               x
///     contrastive_gradient_kernel, wide                                        x
///     anchor_gradient_kernel                                    x              x
///     product_gradient_kernel, of both sides     x
///
/// Kernels of by_products are started only where products may serve (products_may_serve).
enum PairAlgorithm : std::int32_t {
  by_products,     ///< as matrix products (product.cuh), where the similarity is one
  by_differences,  ///< pair by pair, in T
  by_wide_pairs    ///< pair by pair, in float64: a row is wide
};

/// Values that matrix products need besides the packed rows, which are numbered in the order of their memory.
template <typename T>
struct ProductRows {
  const T* centre;                   ///< [2 * dimension] mean and log-variance in the midst of the rows
  const T *rests_as_p, *rests_as_q;  ///< [rows, parts of product_dimensions]
  const T* limits;                   ///< [rows] sum over dimensions below which a pair with this row as q is close
};

/// Anchors against candidates, packed. Term t of the denominator pairs each anchor's row of role anchor_role[t] (q of
/// the divergence) with all candidates' rows of role candidate_role[t] (p). Term 0 has the anchor's own candidate,
/// number first_own + anchor, which may be none of these.
template <typename T>
struct PackedContrast {
  const PackedGaussian<T>*anchors[3], *candidates[3];
  std::int64_t anchor_number[3], candidate_number[3];  ///< number of the first row of each role
  std::int64_t anchor_count, candidate_count;
  std::int64_t first_own;
  std::int64_t dimension;
  double temperature;
  int terms;
  int anchor_role[3], candidate_role[3];
  const std::int32_t* form;  ///< a PairAlgorithm, on the device
  ProductRows<T> products;   ///< null pointers where the form is never by_products
  CandidateMask mask;

  /// Returns the number of values that an anchor has in [anchors, terms, candidates].
  __device__ std::int64_t pairs_of_anchor() const { return terms * candidate_count; }
  /// Returns whether the mask leaves out value `i` of an anchor, as `pairs_of_anchor` numbers them.
  __device__ bool leaves_out(std::int64_t anchor, std::int64_t i) const {
    if (!mask.leaves_out_any()) return false;
    const std::int64_t term = i / candidate_count, candidate = i - term * candidate_count;
    return candidate != first_own + anchor &&
           is_no_negative(one_of(mask.candidates, one_of(candidate_role, term))[candidate],
                          one_of(mask.anchors, one_of(anchor_role, term))[anchor], mask.known);
  }
};

}  // namespace gausscse::kernels::cuda
