#pragma once

#include <limits>
#include <type_traits>

#include "model/kernels/cpu/contrastive_forward.hpp"
#include "model/kernels/cpu/contrastive_gradient.hpp"
#include "model/kernels/cpu/contrastive_pack.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// The similarity blocks of some anchors with some candidates, as rows of one pack.
struct Blocks {
  /// Finds the blocks where the candidates of the first role begin at row `first_candidate` and the anchors at
  /// `first_anchor`, those of each further role `candidates` rows and `anchor_rows` rows behind.
  Blocks(const ContrastiveTerms& terms, std::int64_t candidates, std::int64_t first_candidate,
         std::int64_t first_anchor, std::int64_t anchor_rows) {
    const auto add = [&](int candidate_role, int anchor_role) {
      roles[count] = {candidate_role, anchor_role};
      blocks[count++] = {first_candidate + candidate_role * candidates, candidates,
                         first_anchor + anchor_role * anchor_rows};
    };
    add(1, 0);
    if (terms.contradiction) add(2, 0);
    if (terms.reversed) add(0, 1);
  }
  /// Finds the blocks of the pack that RowsOfRoles makes.
  template <typename T>
  explicit Blocks(const ContrastiveCandidates<T>& input)
      : Blocks(input.terms, input.candidates, input.terms.roles() * input.anchors, 0, input.anchors) {}

  struct Roles {
    int candidate, anchor;
  };

  ContrastiveBlock blocks[3] = {};
  Roles roles[3] = {};
  int count = 0;
};

/// Puts `value` in place of the pairs of one anchor that the mask leaves out; `row` is as `for_each_anchor` has it.
template <typename T, typename From>
void replace_left_out(const ContrastiveCandidates<From>& input, const Blocks& blocks, std::int64_t anchor, T value,
                      T* row) {
  if (!input.mask.leaves_out_any()) return;
  const std::int64_t own = input.first_own + anchor;
  for (int b = 0; b < blocks.count; ++b, row += input.candidates) {
    const AnchorTexts& of_anchor = input.mask.anchors[blocks.roles[b].anchor][anchor];
    const std::int64_t* of_candidates = input.mask.candidates[blocks.roles[b].candidate];
    for (std::int64_t j = 0; j < input.candidates; ++j)
      if (j != own && is_no_negative(of_candidates[j], of_anchor, input.mask.known)) row[j] = value;
  }
}

/// Computes similarities, and hands those of each anchor to `use(anchor, row)`: a row has the candidates of the first
/// block, then those of the second and so on. Then calls `all_used(first anchor, anchors, rows)`.
template <typename T, typename From, typename Use, typename AllUsed>
void for_each_anchor(const ContrastiveCandidates<From>& input, const Blocks& blocks,
                     const PackedGaussians<T>& gaussians, const Use& use, const AllUsed& all_used) {
  const std::int64_t width = blocks.count * input.candidates;
  Buffer<T> similarities(anchor_block * width);
  for (std::int64_t begin = 0; begin < input.anchors; begin += anchor_block) {
    const std::int64_t anchors = input.anchors - begin < anchor_block ? input.anchors - begin : anchor_block;
    for (int b = 0; b < blocks.count; ++b) {
      ContrastiveBlock block = blocks.blocks[b];
      block.anchor += begin;
      block_similarities(gaussians, block, anchors, input.similarity, similarities.get() + b * input.candidates, width);
    }
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < anchors; ++i) use(begin + i, similarities.get() + i * width);
    all_used(begin, anchors, similarities.get());
  }
}

/// Adds the gradient of `anchors` anchors from `begin` on to the sums. `weights` has a row for each, as
/// `for_each_anchor` has it.
template <typename T, typename From>
void add_gradients(const ContrastiveCandidates<From>& input, const Blocks& blocks, const PackedGaussians<T>& gaussians,
                   std::int64_t begin, std::int64_t anchors, const T* weights, const GradientSums<T>& sums) {
  for (int b = 0; b < blocks.count; ++b) {
    ContrastiveBlock block = blocks.blocks[b];
    block.anchor += begin;
    add_block_gradient(gaussians, block, anchors, input.similarity, weights + b * input.candidates,
                       blocks.count * input.candidates, sums);
  }
}

/// Packs the rows for computation in the type that they need, and calls `compute(pack)`.
template <typename T, typename Compute>
void with_pack(const ContrastiveCandidates<T>& input, AllRows<T> rows, const Compute& compute) {
  const LogVarRanges ranges(input.dimension);
  find_log_var_ranges(rows, input.dimension, ranges);
  if constexpr (std::is_same_v<T, float>)
    if (needs_double(ranges, input.dimension, input.similarity))
      return compute(GaussianPack<double>(rows, input.dimension, ranges, input.similarity));
  compute(GaussianPack<T>(rows, input.dimension, ranges, input.similarity));
}

/// The rows of anchors and candidates in the order of the pack.
template <typename T>
struct RowsOfRoles {
  RowsOfRoles(const ContrastiveCandidates<T>& input, T* const* anchor_gradient, T* const* candidate_gradient) {
    for (int role = 0; role < input.terms.roles(); ++role)
      rows[count++] = {input.anchor_rows[role], input.anchors, anchor_gradient ? anchor_gradient[role] : nullptr};
    for (int role = 0; role < input.terms.roles(); ++role)
      rows[count++] = {input.candidate_rows[role], input.candidates,
                       candidate_gradient ? candidate_gradient[role] : nullptr};
  }
  AllRows<T> all() const { return {rows, count}; }

  GaussianRows<T> rows[6] = {};
  std::size_t count = 0;
};

template <typename T>
void contrastive_accumulate(const KernelContext&, const ContrastiveCandidates<T>& input,
                            const RunningSoftmax& softmax) {
  if (input.anchors == 0 || input.candidates == 0) return;
  const Blocks blocks(input);
  const std::int64_t width = blocks.count * input.candidates;
  const RowsOfRoles<T> rows(input, nullptr, nullptr);
  with_pack(input, rows.all(), [&](const auto& pack) {
    for_each_anchor(
        input, blocks, pack.gaussians,
        [&](std::int64_t anchor, auto* row) {
          using Real = std::remove_cvref_t<decltype(*row)>;
          replace_left_out(input, blocks, anchor, -std::numeric_limits<Real>::infinity(), row);
          auto largest = row[0];
#pragma omp simd reduction(max : largest)
          for (std::int64_t j = 0; j < width; ++j) largest = largest > row[j] ? largest : row[j];
          const std::int64_t own = input.first_own + anchor;
          if (own >= 0 && own < input.candidates) softmax.positive[anchor] = static_cast<double>(row[own]);
          const double before = softmax.largest[anchor], here = static_cast<double>(largest);
          // The difference of infinities is no number.
          if (input.mask.leaves_out_any() && here == -std::numeric_limits<double>::infinity()) return;
          // A NaN stays one.
          const double now = before > here ? before : here;
          double sum = 0;
          const auto shift = static_cast<decltype(largest)>(now);
          const auto inverse_temperature = static_cast<decltype(largest)>(1.0 / input.temperature);
#pragma omp simd reduction(+ : sum)
          for (std::int64_t j = 0; j < width; ++j)
            sum += static_cast<double>(exponential((row[j] - shift) * inverse_temperature));
          softmax.sum[anchor] = softmax.sum[anchor] * std::exp((before - now) / input.temperature) + sum;
          softmax.largest[anchor] = now;
        },
        [](std::int64_t, std::int64_t, const auto*) {});
  });
}

template <typename T>
void contrastive_backward(const KernelContext&, const ContrastiveCandidates<T>& input, const RunningSoftmax& softmax,
                          double weight, T* const* anchor_gradient, T* const* candidate_gradient) {
  if (input.anchors == 0 || input.candidates == 0) return;
  const Blocks blocks(input);
  const std::int64_t width = blocks.count * input.candidates;
  const RowsOfRoles<T> rows(input, anchor_gradient, candidate_gradient);
  with_pack(input, rows.all(), [&](const auto& pack) {
    using Real = std::remove_cvref_t<decltype(*pack.data.get())>;
    GradientSumsOfRows<Real> sums(pack.gaussians, input.similarity);
    Buffer<Real> derivatives(anchor_block * width);
    for_each_anchor(
        input, blocks, pack.gaussians,
        [&](std::int64_t anchor, const Real* row) {
          Real* derivative = derivatives.get() + anchor % anchor_block * width;
          const auto shift = static_cast<Real>(softmax.largest[anchor]);
          const auto inverse_temperature = static_cast<Real>(1.0 / input.temperature);
          const auto factor = static_cast<Real>(weight / (input.temperature * softmax.sum[anchor]));
#pragma omp simd
          for (std::int64_t j = 0; j < width; ++j)
            derivative[j] = factor * exponential((row[j] - shift) * inverse_temperature);
          const std::int64_t own = input.first_own + anchor;
          if (own >= 0 && own < input.candidates) derivative[own] -= static_cast<Real>(weight / input.temperature);
          replace_left_out(input, blocks, anchor, Real{0}, derivative);
          apply_slopes(derivative, row, width, input.similarity, input.dimension);
        },
        [&](std::int64_t begin, std::int64_t anchors, const Real*) {
          add_gradients(input, blocks, pack.gaussians, begin, anchors, derivatives.get(), sums.sums);
        });
    finish_gradient(pack.gaussians, input.similarity, sums.sums, rows.all());
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
