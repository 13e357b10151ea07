#pragma once

#include "model/kernels/cuda/contrastive/gradient.cuh"
#include "model/kernels/cuda/contrastive/scratch.cuh"

namespace gausscse::kernels::cuda {

/// Goes through all pairs, `division.anchors` anchors at once: their similarities, softmax and, if `gradient` is not
/// null, gradients. The rows of the candidates are overwritten first; those of the anchors may be some of them, and are
/// added to then.
template <SoftmaxUse use, typename T>
void go_through_pairs(const KernelContext& context, const PackedContrast<T>& all, const ContrastiveCandidates<T>& input,
                      const PairDivision& division, const ContrastiveScratch<T>& scratch, const RunningSoftmax& softmax,
                      double weight, const GradientsToFind<T>* gradient) {
  const PairValues<T> pairs{scratch.pairs, static_cast<int>(division.parts.count),
                            static_cast<int>(division.parts.size)};
  const int roles = input.terms.roles();
  std::int64_t begin = 0;
  do {
    PackedContrast<T> some = all;
    some.anchor_count = std::min(all.anchor_count - begin, division.anchors);
    some.first_own += begin;
    for (int role = 0; role < roles; ++role) {
      some.anchors[role] += begin * all.dimension;
      some.anchor_number[role] += begin;
      if (some.mask.anchors[role]) some.mask.anchors[role] += begin;
    }
    const RunningSoftmax of_some{softmax.largest + begin, softmax.sum + begin, softmax.positive + begin};
    find_pair_sums(context, some, input.similarity, pairs);
    with_similarity<DeviceMath>(input.similarity, [&](auto of) {
      launch(context, {some.anchor_count, 1, softmax_threads, shared_bytes_of<double>(softmax_threads / warp_size)},
             softmax_kernel<T, decltype(of), use>, some, pairs, of_some, gradient ? weight : 0.0);
    });
    if (gradient) {
      GradientsToFind<T> of_rows = *gradient;
      of_rows.candidates.adds = begin > 0;
      for (int role = 0; role < roles; ++role) of_rows.anchors.rows[role] += begin * 2 * all.dimension;
      find_gradients<T>(context, some, input.similarity, roles, pairs.values,
                        {scratch.anchor_sums, division.candidates}, of_rows);
    }
    begin += some.anchor_count;
  } while (begin < all.anchor_count);
}

/// See Kernels.
template <typename T>
void contrastive_loss_within(const KernelContext& context, const ContrastiveCandidates<T>& input, double* loss,
                             T* const* gradient, const ContrastiveLimits& limits) {
  const std::int64_t batch = input.candidates, anchors = input.anchors, dimension = input.dimension;
  const int roles = input.terms.roles();
  const PairDivision division(input, limits);
  const auto scratch =
      ContrastiveScratch<T>::of(context, {roles * batch, dimension, anchors, division.values,
                                          gradient ? division.anchor_sums : 0, products_may_serve(input, limits)});

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

  const double weight = 1.0 / static_cast<double>(batch);
  GradientsToFind<T> to_find{{{}, false}, {{}, true}};
  for (int role = 0; role < roles && gradient; ++role) {
    to_find.candidates.rows[role] = gradient[role];
    to_find.anchors.rows[role] = gradient[role] + input.first_own * 2 * dimension;
  }
  go_through_pairs<SoftmaxUse::begins>(context, contrast, input, division, scratch, scratch.softmax, weight,
                                       gradient ? &to_find : nullptr);
  launch(context, {1, 1, loss_threads, shared_bytes_of<double>(loss_threads / warp_size)}, loss_of_softmax_kernel<T>,
         scratch.softmax, anchors, input.temperature, weight, loss);
}

template <typename T>
void contrastive_loss(const KernelContext& context, const ContrastiveCandidates<T>& input, double* loss,
                      T* const* gradient) {
  contrastive_loss_within(context, input, loss, gradient, usual_limits(input));
}

/// Returns the memory for anchors and candidates that are different rows.
template <typename T>
ContrastiveScratch<T> scratch_of_candidates(const KernelContext& context, const ContrastiveCandidates<T>& input,
                                            const PairDivision& division, const ContrastiveLimits& limits,
                                            bool with_gradient) {
  return ContrastiveScratch<T>::of(
      context, {input.terms.roles() * (input.anchors + input.candidates), input.dimension, 0, division.values,
                with_gradient ? division.anchor_sums : 0, products_may_serve(input, limits)});
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
  const PairDivision division(input, limits);
  const auto scratch = scratch_of_candidates(context, input, division, limits, false);
  const PackedContrast<T> contrast = packed_candidates(context, input, scratch);
  go_through_pairs<SoftmaxUse::goes_on, T>(context, contrast, input, division, scratch, softmax, 0, nullptr);
}

template <typename T>
void contrastive_accumulate(const KernelContext& context, const ContrastiveCandidates<T>& input,
                            const RunningSoftmax& softmax) {
  contrastive_see_within(context, input, softmax, usual_limits(input));
}

/// See Kernels.
template <typename T>
void contrastive_differentiate_within(const KernelContext& context, const ContrastiveCandidates<T>& input,
                                      const RunningSoftmax& softmax, double weight, T* const* anchor_gradient,
                                      T* const* candidate_gradient, const ContrastiveLimits& limits) {
  if (input.anchors == 0 || input.candidates == 0) return;
  const PairDivision division(input, limits);
  const auto scratch = scratch_of_candidates(context, input, division, limits, true);
  const PackedContrast<T> contrast = packed_candidates(context, input, scratch);
  GradientsToFind<T> to_find{{{}, false}, {{}, false}};
  for (int role = 0; role < input.terms.roles(); ++role) {
    to_find.anchors.rows[role] = anchor_gradient[role];
    to_find.candidates.rows[role] = candidate_gradient[role];
  }
  go_through_pairs<SoftmaxUse::is_known>(context, contrast, input, division, scratch, softmax, weight, &to_find);
}

template <typename T>
void contrastive_backward(const KernelContext& context, const ContrastiveCandidates<T>& input,
                          const RunningSoftmax& softmax, double weight, T* const* anchor_gradient,
                          T* const* candidate_gradient) {
  contrastive_differentiate_within(context, input, softmax, weight, anchor_gradient, candidate_gradient,
                                   usual_limits(input));
}

}  // namespace gausscse::kernels::cuda
