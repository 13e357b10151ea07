#pragma once

#include <algorithm>

#include "model/kernels/cuda/contrastive_form.cuh"
#include "model/kernels/cuda/contrastive_forward.cuh"
#include "model/kernels/cuda/contrastive_gradient.cuh"

namespace gausscse::kernels::cuda {

/// Weights of pairs that the gradient holds at once: 16 MB in float, or those of eight tiles of anchors where these are
/// more, as a kernel over one tile alone has too few blocks for a GPU.
constexpr std::int64_t most_pair_weights(std::int64_t candidates, int terms) {
  const std::int64_t of_eight_tiles = 8 * widest_tile * candidates * terms;
  return std::max(std::int64_t{1} << 22, of_eight_tiles);
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
  std::int64_t most_weights;  ///< weights of pairs that the gradient holds at once
  /// Anchors and candidates from which on matrix products may serve: fewer do not fill a GPU with tiles of products.
  std::int64_t least_for_products = 512;
};

/// Sizes of the memory that the contrastive kernels need.
struct ContrastiveSizes {
  std::int64_t rows, dimension;  ///< to be packed
  std::int64_t partials;
  std::int64_t anchors;  ///< anchors whose softmax is not the caller's
  std::int64_t weights;
  bool products;  ///< true if the form may be by_products
};

/// Memory of the contrastive kernels.
template <typename T>
struct ContrastiveScratch {
  ContrastiveScratch(const ContrastiveSizes& sizes, ArraysOfScratch& arrays)
      : packed(arrays.take<PackedGaussian<T>>(sizes.rows * sizes.dimension)),
        wide(arrays.take<std::int32_t>(sizes.rows)),
        partials(arrays.take<PartOfSoftmax>(sizes.partials)),
        softmax{arrays.take<double>(sizes.anchors), arrays.take<double>(sizes.anchors),
                arrays.take<double>(sizes.anchors)},
        weights(arrays.take<T>(sizes.weights)),
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
  PartOfSoftmax* partials;
  RunningSoftmax softmax;
  T* weights;
  FormScratch<T> form;
};

/// Returns the terms and settings of a loss; what rows it is of is left open.
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
  contrast.form = scratch.form.form;
  contrast.products = {scratch.form.centre, scratch.form.rows.rests_as_p, scratch.form.rows.rests_as_q,
                       scratch.form.rows.limits};
  return contrast;
}

inline int count_of_terms(const ContrastiveTerms& terms) {
  return 1 + (terms.contradiction ? 1 : 0) + (terms.reversed ? 1 : 0);
}

/// Returns the number of partial softmaxes of all terms and anchors.
inline std::int64_t count_of_partials(const ContrastiveTerms& terms, std::int64_t anchors, std::int64_t candidates) {
  // In narrow tiles there are more parts.
  return count_of_terms(terms) * CandidateParts(candidates, contrastive_tile).count * anchors;
}

/// Returns whether the form may be by_products.
template <typename T>
bool products_may_serve(const ContrastiveCandidates<T>& input, const ContrastiveLimits& limits) {
  return std::is_same_v<T, float> && input.similarity == Similarity::joint &&
         std::min(input.anchors, input.candidates) >= std::max<std::int64_t>(limits.least_for_products, 1);
}

/// See Kernels.
template <typename T>
void contrastive_loss_holding(const KernelContext& context, const ContrastiveCandidates<T>& input, double* loss,
                              T* const* gradient, const ContrastiveLimits& limits) {
  const std::int64_t batch = input.candidates, anchors = input.anchors, dimension = input.dimension;
  const int roles = input.terms.roles(), terms = count_of_terms(input.terms);
  const std::int64_t held = gradient ? anchors_held(anchors, batch, terms, limits.most_weights) : 0;
  const auto scratch =
      ContrastiveScratch<T>::of(context, {roles * batch, dimension, count_of_partials(input.terms, anchors, batch),
                                          anchors, held * batch * terms, products_may_serve(input, limits)});

  PackedContrast<T> contrast = contrast_of_terms<T>(input, scratch);
  contrast.anchor_count = anchors;
  contrast.candidate_count = batch;
  contrast.first_own = input.first_own;
  RolesToPack<T> to_pack{};
  to_pack.dimension = dimension;
  for (int role = 0; role < roles; ++role) {
    PackedGaussian<T>* const packed = scratch.packed + role * batch * dimension;
    to_pack.roles[role] = {input.candidate_rows[role], batch, packed, scratch.wide + role * batch};
    contrast.candidates[role] = packed;
    contrast.anchors[role] = packed + input.first_own * dimension;
    contrast.candidate_number[role] = role * batch;
    contrast.anchor_number[role] = role * batch + input.first_own;
  }
  pack_gaussians(context, input.similarity, to_pack, roles);
  find_form(context, input.candidate_rows[0], batch, scratch.packed, scratch.wide, roles * batch, scratch.form,
            contrast);

  add_to_softmax(context, contrast, input.similarity, false, scratch.partials, scratch.softmax);
  const double weight = 1.0 / static_cast<double>(batch);
  launch(context, {1, 1, loss_threads, shared_bytes_of<double>(loss_threads / warp_size)}, loss_of_softmax_kernel<T>,
         scratch.softmax, anchors, input.temperature, weight, loss);
  if (!gradient) return;
  GradientOfRoles<T> by_anchors{{}, true}, by_candidates{{}, false};
  for (int role = 0; role < roles; ++role) {
    by_candidates.rows[role] = gradient[role];
    by_anchors.rows[role] = gradient[role] + input.first_own * 2 * dimension;
  }
  find_contrastive_gradient(context, contrast, input.similarity, scratch.softmax, weight, roles, held, scratch.weights,
                            by_anchors, by_candidates);
}

template <typename T>
void contrastive_loss(const KernelContext& context, const ContrastiveCandidates<T>& input, double* loss,
                      T* const* gradient) {
  contrastive_loss_holding(context, input, loss, gradient,
                           {most_pair_weights(input.candidates, count_of_terms(input.terms))});
}

/// Starts the packing of anchors and candidates.
template <typename T>
PackedContrast<T> packed_candidates(const KernelContext& context, const ContrastiveCandidates<T>& input,
                                    const ContrastiveScratch<T>& scratch) {
  PackedContrast<T> contrast = contrast_of_terms<T>(input, scratch);
  contrast.anchor_count = input.anchors;
  contrast.candidate_count = input.candidates;
  contrast.first_own = input.first_own;
  RolesToPack<T> to_pack{};
  to_pack.dimension = input.dimension;
  std::int64_t rows = 0;
  int count = 0;
  const auto add = [&](const T* from, std::int64_t number) {
    PackedGaussian<T>* const packed = scratch.packed + rows * input.dimension;
    to_pack.roles[count++] = {from, number, packed, scratch.wide + rows};
    rows += number;
    return packed;
  };
  for (int role = 0; role < input.terms.roles(); ++role) {
    contrast.anchor_number[role] = rows;
    contrast.anchors[role] = add(input.anchor_rows[role], input.anchors);
    contrast.candidate_number[role] = rows;
    contrast.candidates[role] = add(input.candidate_rows[role], input.candidates);
  }
  pack_gaussians(context, input.similarity, to_pack, count);
  find_form(context, input.candidate_rows[0], input.candidates, scratch.packed, scratch.wide, rows, scratch.form,
            contrast);
  return contrast;
}

/// See Kernels.
template <typename T>
void contrastive_see_within(const KernelContext& context, const ContrastiveCandidates<T>& input,
                            const RunningSoftmax& softmax, const ContrastiveLimits& limits) {
  if (input.anchors == 0 || input.candidates == 0) return;
  const auto scratch =
      ContrastiveScratch<T>::of(context, {input.terms.roles() * (input.anchors + input.candidates), input.dimension,
                                          count_of_partials(input.terms, input.anchors, input.candidates), 0, 0,
                                          products_may_serve(input, limits)});
  const PackedContrast<T> contrast = packed_candidates(context, input, scratch);
  add_to_softmax(context, contrast, input.similarity, true, scratch.partials, softmax);
}

template <typename T>
void contrastive_see(const KernelContext& context, const ContrastiveCandidates<T>& input,
                     const RunningSoftmax& softmax) {
  contrastive_see_within(context, input, softmax, {0});
}

/// See Kernels.
template <typename T>
void contrastive_differentiate_holding(const KernelContext& context, const ContrastiveCandidates<T>& input,
                                       const RunningSoftmax& softmax, double weight, T* const* anchor_gradient,
                                       T* const* candidate_gradient, const ContrastiveLimits& limits) {
  if (input.anchors == 0 || input.candidates == 0) return;
  const int roles = input.terms.roles(), terms = count_of_terms(input.terms);
  const std::int64_t held = anchors_held(input.anchors, input.candidates, terms, limits.most_weights);
  const auto scratch =
      ContrastiveScratch<T>::of(context, {roles * (input.anchors + input.candidates), input.dimension, 0, 0,
                                          held * input.candidates * terms, products_may_serve(input, limits)});
  const PackedContrast<T> contrast = packed_candidates(context, input, scratch);
  GradientOfRoles<T> by_anchors{{}, false}, by_candidates{{}, false};
  for (int role = 0; role < roles; ++role) {
    by_anchors.rows[role] = anchor_gradient[role];
    by_candidates.rows[role] = candidate_gradient[role];
  }
  find_contrastive_gradient(context, contrast, input.similarity, softmax, weight, roles, held, scratch.weights,
                            by_anchors, by_candidates);
}

template <typename T>
void contrastive_differentiate(const KernelContext& context, const ContrastiveCandidates<T>& input,
                               const RunningSoftmax& softmax, double weight, T* const* anchor_gradient,
                               T* const* candidate_gradient) {
  contrastive_differentiate_holding(context, input, softmax, weight, anchor_gradient, candidate_gradient,
                                    {most_pair_weights(input.candidates, count_of_terms(input.terms))});
}

}  // namespace gausscse::kernels::cuda
