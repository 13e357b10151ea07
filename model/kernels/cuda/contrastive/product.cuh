#pragma once

#include <type_traits>

#include "model/kernels/cuda/contrastive/pairs.cuh"

namespace gausscse::kernels::cuda {

// The joint similarity as matrix products. With means m and log-variances l less those of the centre, which change no
// pair, and v = exp(log_var), the sum over dimensions of 2 kl(p || q) is
//
//   sum of  (v_p + m_p^2) / v_q  +  m_p (-2 m_q / v_q)  -  l_p  +  m_q^2 / v_q + l_q - 1
//           `first` of p and q      `second` of both      rest     rest
//
// Two multiplications for a pair and dimension are all that is left. Rests of `product_dimensions` dimensions are added
// with these, so that a sum on its way never becomes large: it is the divergence so far. Its rounding is still that of
// terms around 1, so pairs that turn out close are computed again by differences. Their kernels are started in every
// call in which products may serve, and return at once in the other forms: see PairAlgorithm.

/// Dimensions that are staged at once; their rests come behind them.
constexpr std::int64_t product_dimensions = 16;

/// Features of two neighbouring rows in a dimension.
template <typename T>
struct alignas(16) FeaturesOfRows {
  T first[2], second[2];
};

constexpr int product_pitch = static_cast<int>(pair_tile) / 2 + 1;
constexpr int product_side = (static_cast<int>(product_dimensions) + 1) * product_pitch;

enum class SideOfPair { anchor, candidate };

/// Values that products need of a row's dimension: the variance of a candidate, its inverse of an anchor.
template <typename T>
struct ProductValues {
  T mean, spread_or_inverse;
};
template <SideOfPair side, typename T>
__device__ ProductValues<T> product_values(const PackedGaussian<T>& row) {
  return {row.mean, side == SideOfPair::anchor ? row.inverse : row.spread};
}

/// A thread's part in staging one side of a tile: one dimension of two pairs of rows. Rows behind the last one are
/// copies of it, and dimensions behind the last one add nothing.
template <typename T, SideOfPair side>
class StagedFeatures {
 public:
  __device__ StagedFeatures(const RowsOfTile<T>& tile, const PackedContrast<T>& contrast,
                            SharedPointer<FeaturesOfRows<T>> staged)
      : contrast_(contrast), staged_(staged), rows_(tile.rows + column()), last_(tile.count - 1) {}

  /// Reads dimension `first` and the following ones.
  __device__ void read(int first) {
    const int dimension = static_cast<int>(contrast_.dimension);
    exists_ = first + column() < dimension;
    if (exists_) {
      GAUSSCSE_UNROLL
      for (int k = 0; k < 2; ++k) GAUSSCSE_UNROLL
      for (int e = 0; e < 2; ++e) {
        const int row = 2 * (pair() + 16 * k) + e;
        values_[k][e] = product_values<side>(rows_[(row < last_ ? row : last_) * dimension + first]);
      }
    }
  }

  /// Puts the values that were read into shared memory; `centre` is the mean there.
  __device__ void put(T centre) const {
    GAUSSCSE_UNROLL
    for (int k = 0; k < 2; ++k) {
      FeaturesOfRows<T> features{};
      GAUSSCSE_UNROLL
      for (int e = 0; e < 2; ++e) {
        if (!exists_) continue;
        const T mean = values_[k][e].mean - centre, other = values_[k][e].spread_or_inverse;
        features.first[e] = side == SideOfPair::anchor ? other : other + mean * mean;
        features.second[e] = side == SideOfPair::anchor ? T{-2} * mean * other : mean;
      }
      staged_[column() * product_pitch + pair() + 16 * k] = features;
    }
  }

 private:
  __device__ static int column() { return static_cast<int>(threadIdx.x % product_dimensions); }
  __device__ static int pair() { return static_cast<int>(threadIdx.x / product_dimensions); }
  const PackedContrast<T>& contrast_;
  SharedPointer<FeaturesOfRows<T>> staged_;
  ProductValues<T> values_[2][2];
  const PackedGaussian<T>* rows_;
  int last_;
  bool exists_ = false;
};

/// A thread's part in staging the rests of both sides behind the dimensions: the first warp takes those of anchors, the
/// second those of candidates, a lane two neighbouring rows.
template <typename T>
class StagedRests {
 public:
  __device__ StagedRests(const RowsOfTile<T>& anchors, const RowsOfTile<T>& candidates,
                         const PackedContrast<T>& contrast, SharedPointer<FeaturesOfRows<T>> staged)
      : staged_(staged), parts_(static_cast<int>(parts_of(contrast.dimension, product_dimensions))) {
    const std::int64_t number = of_anchors() ? anchors.number : candidates.number;
    const int row = 2 * static_cast<int>(threadIdx.x % warp_size),
              last = (of_anchors() ? anchors.count : candidates.count) - 1;
    const T* const rests = of_anchors() ? contrast.products.rests_as_q : contrast.products.rests_as_p;
    from_ = rests + (number + (row < last ? row : last)) * parts_;
    next_ = row < last ? parts_ : 0;
  }

  /// Reads the rests of part `part` of the dimensions.
  __device__ void read(int part) {
    if (threadIdx.x >= 2 * warp_size || part >= parts_) return;
    rests_[0] = from_[part];
    rests_[1] = from_[part + next_];
  }
  __device__ void put() const {
    if (threadIdx.x >= 2 * warp_size) return;
    FeaturesOfRows<T> features;
    GAUSSCSE_UNROLL
    for (int e = 0; e < 2; ++e) {
      features.first[e] = of_anchors() ? T{1} : rests_[e];
      features.second[e] = of_anchors() ? rests_[e] : T{1};
    }
    staged_[(of_anchors() ? 0 : product_side) + static_cast<int>(product_dimensions) * product_pitch +
            static_cast<int>(threadIdx.x % warp_size)] = features;
  }

 private:
  __device__ static bool of_anchors() { return threadIdx.x < warp_size; }

  SharedPointer<FeaturesOfRows<T>> staged_;
  int parts_, next_;
  const T* from_;
  T rests_[2] = {};
};

/// Returns the sum over dimensions for a pair of rows, by differences, in all lanes of a warp. All lanes call it.
template <typename T, typename S>
__device__ T sum_by_differences(const PackedGaussian<T>* p, const PackedGaussian<T>* q, std::int64_t dimension) {
  T sum = 0;
  for (std::int64_t d = threadIdx.x % warp_size; d < dimension; d += warp_size)
    sum += S::term(S::divergence(p[d], q[d]));
  return warp_sum(sum);
}

/// Sums over dimensions of a tile of pairs by products, of close ones by differences. See DifferenceTile for the
/// members.
template <typename T, typename S>
struct ProductTile {
  using Formula = S;
  using Staged = FeaturesOfRows<T>;
  static constexpr std::int64_t staged = 2 * product_side;

  __device__ static bool serves(std::int32_t form) { return form == by_products; }
  __device__ static int anchor_of(int i) { return row_of(static_cast<int>(threadIdx.x) / tile_threads, i); }
  __device__ static int candidate_of(int j) { return row_of(static_cast<int>(threadIdx.x) % tile_threads, j); }

  /// Takes all dimensions at once.
  __device__ static void add_sums(const PackedContrast<T>& contrast, const RowsOfTile<T>& anchors,
                                  const RowsOfTile<T>& candidates, DimensionRange, SharedPointer<Staged> memory,
                                  SumsOfThread<T>& sums) {
    add_products(contrast, anchors, candidates, memory, sums);
    look_again(contrast, anchors, candidates, sums);
  }

 private:
  /// A thread has two pairs of neighbouring rows, half a tile apart.
  __device__ static int row_of(int thread, int k) { return k / 2 * 32 + 2 * thread + k % 2; }

  __device__ static void add_products(const PackedContrast<T>& contrast, const RowsOfTile<T>& anchors,
                                      const RowsOfTile<T>& candidates, SharedPointer<Staged> memory,
                                      SumsOfThread<T>& sums) {
    StagedFeatures<T, SideOfPair::anchor> of_anchors(anchors, contrast, memory);
    StagedFeatures<T, SideOfPair::candidate> of_candidates(candidates, contrast, memory + product_side);
    const int dimension = static_cast<int>(contrast.dimension);
    const int column = static_cast<int>(threadIdx.x % product_dimensions);
    StagedRests<T> rests(anchors, candidates, contrast, memory);
    const int own = static_cast<int>(threadIdx.x) / tile_threads, other = static_cast<int>(threadIdx.x) % tile_threads;
    of_anchors.read(0);
    of_candidates.read(0);
    rests.read(0);
    T centre = contrast.products.centre[column < dimension ? column : 0];
    int first = 0;
    do {
      of_anchors.put(centre);
      of_candidates.put(centre);
      rests.put();
      __syncthreads();
      // The next dimensions arrive while these are used.
      first += static_cast<int>(product_dimensions);
      if (first + column < dimension) centre = contrast.products.centre[first + column];
      of_anchors.read(first);
      of_candidates.read(first);
      rests.read(first / static_cast<int>(product_dimensions));
      GAUSSCSE_UNROLL
      for (int d = 0; d <= static_cast<int>(product_dimensions); ++d) {
        FeaturesOfRows<T> q[2], p[2];
        GAUSSCSE_UNROLL
        for (int half = 0; half < 2; ++half) {
          q[half] = memory[d * product_pitch + 16 * half + own];
          p[half] = memory[product_side + d * product_pitch + 16 * half + other];
        }
        GAUSSCSE_UNROLL
        for (int i = 0; i < pairs_of_thread; ++i) GAUSSCSE_UNROLL
        for (int j = 0; j < pairs_of_thread; ++j) {
          sums[i][j] += q[i / 2].first[i % 2] * p[j / 2].first[j % 2];
          sums[i][j] += q[i / 2].second[i % 2] * p[j / 2].second[j % 2];
        }
      }
      __syncthreads();
    } while (first < dimension);
  }

  /// Computes close pairs by differences, a warp one after another. What is not a number is close.
  __device__ static void look_again(const PackedContrast<T>& contrast, const RowsOfTile<T>& anchors,
                                    const RowsOfTile<T>& candidates, SumsOfThread<T>& sums) {
    constexpr int pairs = pairs_of_thread;
    const T* const limits = contrast.products.limits + anchors.number;
    unsigned close = 0;
    GAUSSCSE_UNROLL
    for (int i = 0; i < pairs; ++i) {
      if (anchor_of(i) >= anchors.count) continue;
      const T limit = limits[anchor_of(i)];
      GAUSSCSE_UNROLL
      for (int j = 0; j < pairs; ++j)
        if (candidate_of(j) < candidates.count && !(sums[i][j] >= limit)) close |= 1u << (i * pairs + j);
    }
    const int lane = static_cast<int>(threadIdx.x % warp_size), first_lane = static_cast<int>(threadIdx.x) - lane;
    for (unsigned lanes = __ballot_sync(all_lanes, close != 0); lanes != 0;
         lanes = __ballot_sync(all_lanes, close != 0)) {
      const int whose = lowest_bit(lanes), thread = first_lane + whose;
      const int pair = lowest_bit(__shfl_sync(all_lanes, close, whose));
      const std::int64_t q = row_of(thread / tile_threads, pair / pairs),
                         p = row_of(thread % tile_threads, pair % pairs);
      const T sum = sum_by_differences<T, S>(candidates.rows + p * contrast.dimension,
                                             anchors.rows + q * contrast.dimension, contrast.dimension);
      if (lane != whose) continue;
      close &= close - 1;
      GAUSSCSE_UNROLL
      for (int k = 0; k < pairs * pairs; ++k)
        if (k == pair) sums[k / pairs][k % pairs] = sum;
    }
  }
};

}  // namespace gausscse::kernels::cuda
