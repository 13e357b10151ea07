#include "model/kernels/cpu/contrastive.hpp"
#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// Candidates taken at once, so that what they read and write stays in the first-level cache.
constexpr std::int64_t candidate_block = 64;

/// One side's vectors of a column, copied together from rows that lie far apart.
template <typename T>
struct Column {
  Vector<T> mean, variance, log_var;
};

/// w of a pair and dimension: the loss's derivative by that dimension's divergence.
/// per_dimension: x = 2 (1 + kl), and the weight carries the factor of the mean over dimensions.
template <typename T, SimilarityKind kind>
inline Vector<T> pair_weight(T weight, const Vector<T>& x) {
  if constexpr (kind == SimilarityKind::per_dimension) {
    const Vector<T> inverse = T{1} / x;
    return weight * inverse * inverse;
  } else {
    return Vector<T>{} + weight;
  }
}

template <typename T, SimilarityKind kind>
void add_column(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                std::int64_t vector, const T* weights, std::int64_t stride, const GradientSums<T>& sums) {
  constexpr std::int64_t width = VectorOf<T>::width;
  for (std::int64_t first = 0; first < block.candidates; first += candidate_block) {
    const std::int64_t count = block.candidates - first < candidate_block ? block.candidates - first : candidate_block;
    Column<T> candidates[candidate_block];
    Vector<T> collected[candidate_block][3];
    T* candidate_sums = sums.as_candidate + ((vector * gaussians.rows + block.candidate + first) * 3) * width;
    for (std::int64_t j = 0; j < count; ++j) {
      const T* row = gaussians.at(block.candidate + first + j, vector);
      candidates[j] = {load(row), load(row + width), load(row + 3 * width)};
      for (std::int64_t k = 0; k < 3; ++k) collected[j][k] = load(candidate_sums + (3 * j + k) * width);
    }
    for (std::int64_t i = 0; i < anchors; ++i) {
      const T* anchor = gaussians.at(block.anchor + i, vector);
      const Vector<T> mean_q = load(anchor);
      const Vector<T> inverse_q = load(anchor + 2 * width);
      const Vector<T> offset_q = load(anchor + 3 * width) + T{1};
      T* anchor_sums = sums.as_anchor + ((vector * gaussians.rows + block.anchor + i) * 3) * width;
      Vector<T> sum_w = load(anchor_sums);
      Vector<T> sum_difference = load(anchor_sums + width);
      Vector<T> sum_square = load(anchor_sums + 2 * width);
      const T* weight_row = weights + i * stride + first;
      for (std::int64_t j = 0; j < count; ++j) {
        const Vector<T> difference = candidates[j].mean - mean_q;
        const Vector<T> square = candidates[j].variance + difference * difference;
        const Vector<T> x = square * inverse_q + (offset_q - candidates[j].log_var);
        const Vector<T> w = pair_weight<T, kind>(weight_row[j], x);
        const Vector<T> scaled = w * inverse_q;
        sum_w += w;
        sum_difference += w * difference;
        sum_square += w * square;
        collected[j][0] += w;
        collected[j][1] += scaled;
        collected[j][2] += scaled * difference;
      }
      store(anchor_sums, sum_w);
      store(anchor_sums + width, sum_difference);
      store(anchor_sums + 2 * width, sum_square);
    }
    for (std::int64_t j = 0; j < count; ++j)
      for (std::int64_t k = 0; k < 3; ++k) store(candidate_sums + (3 * j + k) * width, collected[j][k]);
  }
}

}  // namespace

template <typename T>
void add_block_gradient(const PackedGaussians<T>& gaussians, const ContrastiveBlock& block, std::int64_t anchors,
                        SimilarityKind kind, const T* weights, std::int64_t stride, const GradientSums<T>& sums) {
  // A thread owns whole columns: no two write the same sum, and the order of additions is fixed.
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t vector = 0; vector < gaussians.vectors; ++vector) {
    if (kind == SimilarityKind::per_dimension)
      add_column<T, SimilarityKind::per_dimension>(gaussians, block, anchors, vector, weights, stride, sums);
    else
      add_column<T, SimilarityKind::joint>(gaussians, block, anchors, vector, weights, stride, sums);
  }
}

template <typename T, typename To>
void finish_gradient(const PackedGaussians<T>& gaussians, const GradientSums<T>& sums, AllRows<To> rows) {
  constexpr std::int64_t width = VectorOf<T>::width;
  const std::int64_t dimension = gaussians.dimension;
  std::int64_t first = 0;
  for (const GaussianRows<To>& some : rows) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < some.count; ++i) {
      const std::int64_t row = first + i;
      To* out = some.gradient + i * 2 * dimension;
      for (std::int64_t vector = 0; vector < gaussians.vectors; ++vector) {
        const T* candidate = sums.as_candidate + ((vector * gaussians.rows + row) * 3) * width;
        const T* anchor = sums.as_anchor + ((vector * gaussians.rows + row) * 3) * width;
        const T* packed = gaussians.at(row, vector);
        for (std::int64_t lane = 0; lane < width; ++lane) {
          const std::int64_t d = vector * width + lane;
          if (d >= dimension) break;
          const T variance = packed[width + lane], inverse = packed[2 * width + lane];
          const T mean_gradient = candidate[2 * width + lane] - inverse * anchor[width + lane];
          out[d] = static_cast<To>(mean_gradient * gaussians.mean_scale[d]);
          out[dimension + d] = static_cast<To>(T{0.5} * ((variance * candidate[width + lane] - candidate[lane]) +
                                                         (anchor[lane] - inverse * anchor[2 * width + lane])));
        }
      }
    }
    first += some.count;
  }
}

#define INSTANTIATE(T)                                                                                  \
  template void add_block_gradient<T>(const PackedGaussians<T>&, const ContrastiveBlock&, std::int64_t, \
                                      SimilarityKind, const T*, std::int64_t, const GradientSums<T>&);  \
  template void finish_gradient<T, T>(const PackedGaussians<T>&, const GradientSums<T>&, AllRows<T>);
INSTANTIATE(float)
INSTANTIATE(double)
template void finish_gradient<double, float>(const PackedGaussians<double>&, const GradientSums<double>&,
                                             AllRows<float>);

}  // namespace gausscse::kernels::GAUSSCSE_ISA
