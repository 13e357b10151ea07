#pragma once

#include "model/kernels/cuda/contrastive/product.cuh"

namespace gausscse::kernels::cuda {

/// Gradients of roles' rows of [mean | log_var]; added to the earlier values if `adds`.
template <typename T>
struct GradientOfRoles {
  T* rows[3];
  bool adds;
};

// The gradient of the joint similarity as matrix products. With the weights w of a row's pairs, m and v as in
// product.cuh, the sums over the other side's rows are
//
//   of p: A = sum of w / v_q,            B = sum of w m_q / v_q,  W = sum of w
//         by mean: 2 (m_p A - B)        by the log-variance: v_p A - W
//   of q: A = sum of w (v_p + m_p^2),    B = sum of w m_p,        W = sum of w
//         by mean: 2 (m_q W - B) / v_q    by the log-variance: W - (A - 2 m_q B + m_q^2 W) / v_q

/// Dimensions of a block; rows of the other side that are staged at once.
constexpr std::int64_t product_columns = 64;
constexpr int rows_of_stage = 16, rows_of_product_thread = 4;

/// Features of two neighbouring dimensions of a row, and weights of four of a block's rows with one other row.
template <typename T>
struct alignas(16) FeaturesOfDimensions {
  T first[2], second[2];
};
template <typename T>
struct alignas(16) FourWeights {
  T of[rows_of_product_thread];
};

constexpr int features_pitch = static_cast<int>(product_columns) / 2 + 1;
constexpr int four_weights_pitch = static_cast<int>(pair_tile) / rows_of_product_thread + 1;

template <typename T>
constexpr std::size_t product_gradient_bytes() {
  return shared_bytes_of<FeaturesOfDimensions<T>>(rows_of_stage * features_pitch) +
         shared_bytes_of<FourWeights<T>>(rows_of_stage * four_weights_pitch);
}

/// A thread's part in staging the other side's rows of a term and the weights of their pairs. Of the rows it takes two
/// neighbouring dimensions of two, of the weights those of four own rows with one other.
template <typename T, SideOfPair side>
class StagedWeights {
 public:
  static constexpr bool of_anchors = side == SideOfPair::anchor;
  static constexpr SideOfPair others = of_anchors ? SideOfPair::candidate : SideOfPair::anchor;

  __device__ StagedWeights(const PackedContrast<T>& contrast, std::int64_t first_own, std::int64_t first_column,
                           SharedPointer<FeaturesOfDimensions<T>> features,
                           SharedPointer<FourWeights<T>> staged_weights)
      : contrast_(contrast),
        column_(static_cast<int>(first_column) + 2 * lane()),
        features_(features),
        staged_weights_(staged_weights) {
    const std::int64_t left = (of_anchors ? contrast.anchor_count : contrast.candidate_count) - first_own;
    own_left_ = static_cast<int>(left < pair_tile ? left : pair_tile) - rows_of_product_thread * group();
  }

  /// Begins with the first of the other side's rows in a term; `weights` are those of the block's first own row.
  __device__ void begin_term(int term, const T* weights) {
    const PackedGaussian<T>* const rows = of_anchors
                                              ? one_of(contrast_.candidates, one_of(contrast_.candidate_role, term))
                                              : one_of(contrast_.anchors, one_of(contrast_.anchor_role, term));
    from_ = rows + warp() * contrast_.dimension + column_;
    const std::int64_t own = rows_of_product_thread * group();
    weights_ = weights + (of_anchors ? own * pitch() + other() : other() * pitch() + own);
    left_ = static_cast<int>(of_anchors ? contrast_.candidate_count : contrast_.anchor_count);
  }
  __device__ int left() const { return left_; }
  /// Reads rows of the other side, and goes on to the next ones.
  __device__ void read() {
    GAUSSCSE_UNROLL
    for (int k = 0; k < 2; ++k) GAUSSCSE_UNROLL
    for (int e = 0; e < 2; ++e)
      values_[k][e] = warp() + 8 * k < left_ && exists(e)
                          ? product_values<others>(from_[8 * k * contrast_.dimension + e])
                          : ProductValues<T>{T{0}, T{1}};
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_product_thread; ++i)
      four_.of[i] = i < own_left_ && other() < left_ ? weights_[of_anchors ? i * pitch() : i] : T{0};
    from_ += rows_of_stage * contrast_.dimension;
    weights_ += of_anchors ? rows_of_stage : rows_of_stage * pitch();
    left_ -= rows_of_stage;
  }
  __device__ void put() {
    GAUSSCSE_UNROLL
    for (int k = 0; k < 2; ++k) {
      FeaturesOfDimensions<T> features;
      GAUSSCSE_UNROLL
      for (int e = 0; e < 2; ++e) {
        const T centre = exists(e) ? contrast_.products.centre[column_ + e] : T{0};
        const T mean = values_[k][e].mean - centre, value = values_[k][e].spread_or_inverse;
        features.first[e] = of_anchors ? value + mean * mean : value;
        features.second[e] = of_anchors ? mean : mean * value;
      }
      features_[(warp() + 8 * k) * features_pitch + lane()] = features;
    }
    staged_weights_[other() * four_weights_pitch + group()] = four_;
    GAUSSCSE_UNROLL
    for (int i = 0; i < rows_of_product_thread; ++i) sums_.of[i] += four_.of[i];
  }
  /// Returns the sums of all weights of the four rows of `rows`. All threads of the block call it.
  __device__ FourWeights<T> sums_of_weights(int rows) {
    staged_weights_[other() * four_weights_pitch + group()] = sums_;
    __syncthreads();
    FourWeights<T> all{};
    for (int k = 0; k < rows_of_stage; ++k) {
      const FourWeights<T> some = staged_weights_[k * four_weights_pitch + rows];
      GAUSSCSE_UNROLL
      for (int i = 0; i < rows_of_product_thread; ++i) all.of[i] += some.of[i];
    }
    return all;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / warp_size); }
  /// Neighbouring threads take weights that lie next to each other: of other candidates for anchors, of own candidates
  /// else.
  __device__ static int group() { return static_cast<int>(of_anchors ? threadIdx.x / 16 : threadIdx.x % 16); }
  __device__ static int other() { return static_cast<int>(of_anchors ? threadIdx.x % 16 : threadIdx.x / 16); }
  __device__ std::int64_t pitch() const { return contrast_.pairs_of_anchor(); }
  __device__ bool exists(int e) const { return column_ + e < static_cast<int>(contrast_.dimension); }

  const PackedContrast<T>& contrast_;
  int column_, own_left_;
  SharedPointer<FeaturesOfDimensions<T>> features_;
  SharedPointer<FourWeights<T>> staged_weights_;
  const PackedGaussian<T>* from_ = nullptr;
  const T* weights_ = nullptr;
  int left_ = 0;
  ProductValues<T> values_[2][2];
  FourWeights<T> four_{}, sums_{};
};

/// Writes the gradient of one row's dimension from its sums.
template <SideOfPair side, typename T>
__device__ void write_product_gradient(const PackedGaussian<T>& own, T centre, T first, T second, T weights, bool adds,
                                       T& by_mean, T& by_log_var) {
  const T mean = own.mean - centre;
  T of_mean, of_log_var;
  if (side == SideOfPair::candidate) {
    of_mean = mean * first - second;
    of_log_var = own.spread * first - weights;
  } else {
    of_mean = own.inverse * (mean * weights - second);
    of_log_var = weights - own.inverse * (first - mean * (T{2} * second - mean * weights));
  }
  by_mean = T{2} * of_mean + (adds ? by_mean : T{0});
  by_log_var = of_log_var + (adds ? by_log_var : T{0});
}

/// Computes tile x of the rows of one side in block (x, y); y is the role and the part of the dimensions. Weights as
/// `softmax_kernel` leaves them.
template <typename T, SideOfPair side>
__global__ void __launch_bounds__(pair_kernel_threads, 2)
    product_gradient_kernel(PackedContrast<T> contrast, const T* weights, GradientOfRoles<T> gradient) {
  SharedArrays shared;
  const SharedPointer<FeaturesOfDimensions<T>> features =
      shared.take<FeaturesOfDimensions<T>>(rows_of_stage * features_pitch);
  const SharedPointer<FourWeights<T>> staged_weights = shared.take<FourWeights<T>>(rows_of_stage * four_weights_pitch);
  if (*contrast.form != by_products) return;
  constexpr bool of_anchors = side == SideOfPair::anchor;
  constexpr int columns = 4;
  const std::int64_t dimension = contrast.dimension, parts = parts_of(dimension, product_columns);
  const int role = static_cast<int>(blockIdx.y / parts);
  const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.y % parts) * product_columns;
  const std::int64_t first_own = std::int64_t{blockIdx.x} * pair_tile;
  const int rows = static_cast<int>(threadIdx.x) / tile_threads, pair = static_cast<int>(threadIdx.x) % tile_threads;

  StagedWeights<T, side> staged(contrast, first_own, first_column, features, staged_weights);
  T first_sums[rows_of_product_thread][columns] = {}, second_sums[rows_of_product_thread][columns] = {};
  int term = 0;
  do {
    if (one_of(of_anchors ? contrast.anchor_role : contrast.candidate_role, term) != role) continue;
    staged.begin_term(
        term, weights + term * contrast.candidate_count + first_own * (of_anchors ? contrast.pairs_of_anchor() : 1));
    staged.read();
    bool more = true;
    do {
      staged.put();
      __syncthreads();
      // The next rows arrive while these are used.
      more = staged.left() > 0;
      staged.read();
      // Sums of sums: fewer roundings than in one row.
      T firsts[rows_of_product_thread][columns] = {}, seconds[rows_of_product_thread][columns] = {};
      GAUSSCSE_UNROLL_BY(4)
      for (int k = 0; k < rows_of_stage; ++k) {
        const FourWeights<T> w = staged_weights[k * four_weights_pitch + rows];
        GAUSSCSE_UNROLL
        for (int half = 0; half < 2; ++half) {
          const FeaturesOfDimensions<T> there = features[k * features_pitch + 16 * half + pair];
          GAUSSCSE_UNROLL
          for (int i = 0; i < rows_of_product_thread; ++i) GAUSSCSE_UNROLL
          for (int e = 0; e < 2; ++e) {
            firsts[i][2 * half + e] += w.of[i] * there.first[e];
            seconds[i][2 * half + e] += w.of[i] * there.second[e];
          }
        }
      }
      GAUSSCSE_UNROLL
      for (int i = 0; i < rows_of_product_thread; ++i) GAUSSCSE_UNROLL
      for (int c = 0; c < columns; ++c) {
        first_sums[i][c] += firsts[i][c];
        second_sums[i][c] += seconds[i][c];
      }
      __syncthreads();
    } while (more);
  } while (++term < contrast.terms);

  const FourWeights<T> all = staged.sums_of_weights(rows);
  const PackedGaussian<T>* const own = one_of(of_anchors ? contrast.anchors : contrast.candidates, role);
  const std::int64_t own_count = of_anchors ? contrast.anchor_count : contrast.candidate_count;
  GAUSSCSE_UNROLL
  for (int i = 0; i < rows_of_product_thread; ++i) GAUSSCSE_UNROLL
  for (int c = 0; c < columns; ++c) {
    const std::int64_t row = first_own + rows * rows_of_product_thread + i;
    const std::int64_t d = first_column + c / 2 * 32 + 2 * pair + c % 2;
    if (row >= own_count || d >= dimension) continue;
    T* const to = one_of(gradient.rows, role) + row * 2 * dimension;
    write_product_gradient<side>(own[row * dimension + d], contrast.products.centre[d], first_sums[i][c],
                                 second_sums[i][c], all.of[i], gradient.adds, to[d], to[dimension + d]);
  }
}

}  // namespace gausscse::kernels::cuda
