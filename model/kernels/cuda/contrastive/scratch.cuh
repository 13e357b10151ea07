#pragma once

#include <algorithm>
#include <type_traits>

#include "model/kernels/cuda/contrastive/form.cuh"
#include "model/kernels/cuda/contrastive/gradient_tile.cuh"
#include "model/kernels/cuda/contrastive/sums.cuh"

namespace gausscse::kernels::cuda {

/// Pairs that a call works on at once: as many as take 16 MB in float, or those of eight tiles of anchors where these
/// are more. A kernel over one tile alone has too few blocks for a GPU.
constexpr std::int64_t most_pairs(std::int64_t candidates, int terms) {
  const std::int64_t of_eight_tiles = 8 * pair_tile * candidates * terms;
  return std::max(std::int64_t{1} << 22, of_eight_tiles);
}

/// Returns the number of anchors that a call works on at once: all tiles of them that have no more than `most` pairs,
/// at least one.
inline std::int64_t anchors_held(std::int64_t anchors, std::int64_t candidates, int terms, std::int64_t most) {
  const std::int64_t pairs_of_tile = pair_tile * candidates * terms;
  const std::int64_t tiles = pairs_of_tile > 0 ? most / pairs_of_tile : 1;
  return std::min(anchors, pair_tile * std::max<std::int64_t>(tiles, 1));
}

/// Arrays next to each other in memory that begins at `begin`; without memory they only add up their size.
class ArraysOfScratch {
 public:
  explicit ArraysOfScratch(void* begin) : begin_(static_cast<unsigned char*>(begin)) {}

  template <typename T>
  T* take(std::int64_t count) {
    T* const array = begin_ ? reinterpret_cast<T*>(begin_ + bytes_) : nullptr;
    bytes_ += shared_bytes_of<T>(count);
    return array;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  unsigned char* begin_;
  std::size_t bytes_ = 0;
};

/// Limits of a call, which tests lower.
struct ContrastiveLimits {
  std::int64_t most_pairs = 0;  ///< pairs that a call works on at once
  /// Anchors and candidates from which on matrix products may serve: fewer do not fill a GPU with tiles of products.
  std::int64_t least_for_products = 512;
  /// Blocks up to which dimensions are divided: twice as many as the largest GPUs have multiprocessors. A GPU's own
  /// number would change bits. The gradient divides candidates among twice as many, which share a multiprocessor.
  std::int64_t most_blocks = 264;
};

/// Sizes of the memory that the contrastive kernels need.
struct ContrastiveSizes {
  std::int64_t rows, dimension;  ///< to be packed
  std::int64_t anchors;          ///< anchors whose softmax is not the caller's
  std::int64_t pairs;            ///< values of pairs
  std::int64_t anchor_sums;      ///< values of AnchorSums
  bool products;                 ///< true if the form may be by_products
};

/// Memory of the contrastive kernels.
template <typename T>
struct ContrastiveScratch {
  ContrastiveScratch(const ContrastiveSizes& sizes, ArraysOfScratch& arrays)
      : packed(arrays.take<PackedGaussian<T>>(sizes.rows * sizes.dimension)),
        wide(arrays.take<std::int32_t>(sizes.rows)),
        softmax{arrays.take<double>(sizes.anchors), arrays.take<double>(sizes.anchors),
                arrays.take<double>(sizes.anchors)},
        pairs(arrays.take<T>(sizes.pairs)),
        anchor_sums(arrays.take<T>(sizes.anchor_sums)),
        form{nullptr, {}, nullptr, arrays.take<std::int32_t>(1)} {
    if (!sizes.products) return;
    const std::int64_t rests = sizes.rows * parts_of(sizes.dimension, product_dimensions);
    form.centre = arrays.take<T>(2 * sizes.dimension);
    form.rows = {arrays.take<T>(rests), arrays.take<T>(rests), arrays.take<T>(sizes.rows),
                 arrays.take<std::int32_t>(sizes.rows)};
    form.close = arrays.take<std::int32_t>(pairs_of_sample);
  }

  static ContrastiveScratch of(const KernelContext& context, const ContrastiveSizes& sizes) {
    ArraysOfScratch none(nullptr);
    ContrastiveScratch(sizes, none);
    ArraysOfScratch arrays(context.scratch->get(none.bytes()));
    return ContrastiveScratch(sizes, arrays);
  }

  PackedGaussian<T>* packed;
  std::int32_t* wide;
  RunningSoftmax softmax;
  T *pairs, *anchor_sums;
  FormScratch<T> form;
};

/// Returns the terms and settings of a loss; its rows are left open.
template <typename T, typename Input>
PackedContrast<T> contrast_of_terms(const Input& input, const ContrastiveScratch<T>& scratch) {
  PackedContrast<T> contrast{};
  const auto add = [&](int candidate_role, int anchor_role) {
    contrast.candidate_role[contrast.terms] = candidate_role;
    contrast.anchor_role[contrast.terms++] = anchor_role;
  };
  add(1, 0);
  if (input.terms.contradiction) add(2, 0);
  if (input.terms.reversed) add(0, 1);
  contrast.dimension = input.dimension;
  contrast.temperature = input.temperature;
  contrast.mask = input.mask;
  contrast.form = scratch.form.form;
  contrast.products = {scratch.form.centre, scratch.form.rows.rests_as_p, scratch.form.rows.rests_as_q,
                       scratch.form.rows.limits};
  return contrast;
}

inline int count_of_terms(const ContrastiveTerms& terms) {
  return 1 + (terms.contradiction ? 1 : 0) + (terms.reversed ? 1 : 0);
}

/// Returns the limits of a call in a training.
template <typename T>
ContrastiveLimits usual_limits(const ContrastiveCandidates<T>& input) {
  return {most_pairs(input.candidates, count_of_terms(input.terms))};
}

/// Returns whether the form may be by_products.
template <typename T>
bool products_may_serve(const ContrastiveCandidates<T>& input, const ContrastiveLimits& limits) {
  return std::is_same_v<T, float> && has_joint_terms(input.similarity) &&
         std::min(input.anchors, input.candidates) >= std::max<std::int64_t>(limits.least_for_products, 1);
}

/// Division of a call's work on pairs.
struct PairDivision {
  template <typename T>
  PairDivision(const ContrastiveCandidates<T>& input, const ContrastiveLimits& limits)
      : anchors(anchors_held(input.anchors, input.candidates, count_of_terms(input.terms), limits.most_pairs)),
        parts(products_may_serve(input, limits)
                  ? DimensionParts{input.dimension, 1}
                  : divided_dimensions(anchors, input.candidates, count_of_terms(input.terms), input.dimension,
                                       limits.most_blocks)),
        values(anchors * input.candidates * count_of_terms(input.terms) * parts.count),
        candidates(divided_candidates(input.candidates, input.terms.roles(), input.dimension, 2 * limits.most_blocks)),
        anchor_sums(candidates.count * count_of_terms(input.terms) * anchors * 2 * input.dimension) {}

  std::int64_t anchors;  ///< anchors at once
  DimensionParts parts;
  std::int64_t values;        ///< number of values of pairs
  CandidateParts candidates;  ///< parts of the gradient
  std::int64_t anchor_sums;   ///< number of values of AnchorSums
};

}  // namespace gausscse::kernels::cuda
