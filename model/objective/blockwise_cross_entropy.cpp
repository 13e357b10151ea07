#include "model/objective/blockwise_cross_entropy.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "model/ops/row_ranges.hpp"
#include "model/ops/sum_in_order.hpp"

namespace gausscse {

namespace {

/// Rows that one task of a CPU computes: few enough that a rank's share makes tasks for all threads.
constexpr std::int64_t rows_of_task = 32;

}  // namespace

BlockwiseCrossEntropy::BlockwiseCrossEntropy(const at::Tensor& anchors, std::int64_t first, const Settings& settings)
    : anchors_(anchors),
      first_(first),
      settings_(settings),
      sums_(at::zeros({anchors.size(0)}, anchors.options().dtype(at::kDouble))),
      // Finite, as all of a block may be left out for an anchor; no logit of float32 lies below.
      largest_(at::full_like(sums_, static_cast<double>(std::numeric_limits<float>::lowest()))),
      positive_(at::zeros_like(sums_)) {}

void BlockwiseCrossEntropy::Part::leave_out() const {
  if (left_out.defined()) logits.masked_fill_(left_out, -std::numeric_limits<double>::infinity());
}

template <typename Use>
at::Tensor BlockwiseCrossEntropy::for_each_part(const CandidateBlock& block, const CandidateChoice* choice,
                                                const Use& use) {
  at::Tensor all = logits_.get(anchors_.size(0), block.rows.size(0), anchors_.options());
  ops::for_row_ranges(anchors_, rows_of_task, [&](std::int64_t begin, std::int64_t count) {
    Part part{begin, count, all.narrow(0, begin, count), {}, begin, {}, {}};
    at::mm_out(part.logits, anchors_.narrow(0, begin, count), block.rows.t());
    part.logits.div_(settings_.temperature);
    // The column of the first row's own candidate; a diagonal that begins outside of the block may still reach into it.
    const std::int64_t column = first_ + begin - block.first;
    if (choice) part.left_out = choice->left_out.narrow(0, begin, count);
    if (choice && choice->target.defined()) {
      part.target = choice->target.narrow(0, begin, count);
    } else if (-count < column && column < block.rows.size(0)) {
      part.own = part.logits.diagonal(column);
      part.own_begin = begin + std::max<std::int64_t>(0, -column);
      if (!block.positive) part.own.add_(settings_.hard_negative_weight);
    }
    use(part);
  });
  return all;
}

void BlockwiseCrossEntropy::accumulate(const CandidateBlock& block, const CandidateChoice* choice) {
  if (block.rows.size(0) == 0) return;
  for_each_part(block, choice, [&](const Part& part) {
    if (part.target.defined())
      positive_.narrow(0, part.begin, part.count).add_((part.logits * part.target).sum({1}, false, at::kDouble));
    part.leave_out();
    if (block.positive && part.own.defined()) positive_.narrow(0, part.own_begin, part.own.size(0)).copy_(part.own);
    at::Tensor largest = largest_.narrow(0, part.begin, part.count), sums = sums_.narrow(0, part.begin, part.count);
    const at::Tensor now = at::maximum(largest, part.logits.amax(1).to(at::kDouble));
    sums.mul_((largest - now).exp_());
    largest.copy_(now);
    const at::Tensor exponentials = part.logits.sub_(now.to(part.logits.scalar_type()).unsqueeze(1)).exp_();
    sums.add_(exponentials.sum({1}, false, at::kDouble));
  });
}

at::Tensor BlockwiseCrossEntropy::loss() const {
  return ops::sum_in_order(sums_.log() + (largest_ - positive_));
}

void BlockwiseCrossEntropy::backward(const CandidateBlock& block, double weight, at::Tensor anchor_gradient,
                                     at::Tensor block_gradient, const CandidateChoice* choice) {
  GAUSSCSE_CHECK(anchor_gradient.sizes() == anchors_.sizes() && block_gradient.sizes() == block.rows.sizes(),
                 "gradients have the shapes of anchors and block");
  if (block.rows.size(0) == 0 || anchors_.size(0) == 0) return;
  const double factor = weight / settings_.temperature;
  const at::Tensor derivatives = for_each_part(block, choice, [&](const Part& part) {
    part.leave_out();
    const auto type = part.logits.scalar_type();
    const at::Tensor scale = (factor / sums_.narrow(0, part.begin, part.count)).to(type).unsqueeze(1);
    part.logits.sub_(largest_.narrow(0, part.begin, part.count).to(type).unsqueeze(1)).exp_().mul_(scale);
    if (part.target.defined()) part.logits.sub_(part.target, factor);
    if (block.positive && part.own.defined()) part.own.sub_(factor);
    anchor_gradient.narrow(0, part.begin, part.count).addmm_(part.logits, block.rows);
  });
  ops::for_row_ranges(block.rows, rows_of_task, [&](std::int64_t begin, std::int64_t count) {
    block_gradient.narrow(0, begin, count).addmm_(derivatives.narrow(1, begin, count).t(), anchors_);
  });
}

}  // namespace gausscse
