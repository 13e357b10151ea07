#include "model/objective/blockwise_cross_entropy.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Rows that one task computes: few enough that a rank's share makes tasks for all threads.
constexpr std::int64_t rows_of_task = 32;

std::int64_t tasks_of(std::int64_t rows) {
  return (rows + rows_of_task - 1) / rows_of_task;
}

}  // namespace

BlockwiseCrossEntropy::BlockwiseCrossEntropy(const at::Tensor& anchors, std::int64_t first, const Settings& settings)
    : anchors_(anchors),
      first_(first),
      settings_(settings),
      largest_(at::full({anchors.size(0)}, -std::numeric_limits<double>::infinity(), at::kDouble)),
      sums_(at::zeros({anchors.size(0)}, at::kDouble)),
      positive_(at::zeros({anchors.size(0)}, at::kDouble)) {}

template <typename Use>
at::Tensor BlockwiseCrossEntropy::for_each_part(const CandidateBlock& block, const Use& use) {
  const at::Tensor all = logits_.get(anchors_.size(0), block.rows.size(0), anchors_.options());
  run_tasks(tasks_of(anchors_.size(0)), at::get_num_threads(), [&](std::int64_t task, int) {
    const std::int64_t begin = task * rows_of_task;
    const std::int64_t count = std::min(rows_of_task, anchors_.size(0) - begin);
    Part part{begin, count, all.narrow(0, begin, count), {}, begin};
    at::mm_out(part.logits, anchors_.narrow(0, begin, count), block.rows.t());
    part.logits.div_(settings_.temperature);
    // Of the first row's own candidate; a diagonal that begins outside of the block may still reach into it.
    const std::int64_t column = first_ + begin - block.first;
    if (-count < column && column < block.rows.size(0)) {
      part.own = part.logits.diagonal(column);
      part.own_begin = begin + std::max<std::int64_t>(0, -column);
      if (!block.positive) part.own.add_(settings_.hard_negative_weight);
    }
    use(part);
  });
  return all;
}

void BlockwiseCrossEntropy::see(const CandidateBlock& block) {
  if (block.rows.size(0) == 0) return;
  for_each_part(block, [&](const Part& part) {
    if (block.positive && part.own.defined()) positive_.narrow(0, part.own_begin, part.own.size(0)).copy_(part.own);
    at::Tensor largest = largest_.narrow(0, part.begin, part.count), sums = sums_.narrow(0, part.begin, part.count);
    const at::Tensor now = at::maximum(largest, part.logits.amax(1).to(at::kDouble));
    sums.mul_((largest - now).exp_());
    largest.copy_(now);
    const at::Tensor exponentials = part.logits.sub_(now.to(part.logits.scalar_type()).unsqueeze(1)).exp_();
    sums.add_(exponentials.sum({1}, false, at::kDouble));
  });
}

double BlockwiseCrossEntropy::loss() const {
  const at::Tensor of_anchors = sums_.log() + (largest_ - positive_);
  const auto* values = of_anchors.const_data_ptr<double>();
  double sum = 0;
  for (std::int64_t i = 0; i < of_anchors.numel(); ++i) sum += values[i];
  return sum;
}

void BlockwiseCrossEntropy::differentiate(const CandidateBlock& block, double weight, at::Tensor anchor_gradient,
                                          at::Tensor block_gradient) {
  GAUSSCSE_CHECK(anchor_gradient.sizes() == anchors_.sizes() && block_gradient.sizes() == block.rows.sizes(),
                 "gradients have the shapes of anchors and block");
  if (block.rows.size(0) == 0 || anchors_.size(0) == 0) return;
  const double factor = weight / settings_.temperature;
  const at::Tensor derivatives = for_each_part(block, [&](const Part& part) {
    const auto type = part.logits.scalar_type();
    const at::Tensor scale = (factor / sums_.narrow(0, part.begin, part.count)).to(type).unsqueeze(1);
    part.logits.sub_(largest_.narrow(0, part.begin, part.count).to(type).unsqueeze(1)).exp_().mul_(scale);
    if (block.positive && part.own.defined()) part.own.sub_(factor);
    anchor_gradient.narrow(0, part.begin, part.count).addmm_(part.logits, block.rows);
  });
  run_tasks(tasks_of(block.rows.size(0)), at::get_num_threads(), [&](std::int64_t task, int) {
    const std::int64_t begin = task * rows_of_task;
    const std::int64_t count = std::min(rows_of_task, block.rows.size(0) - begin);
    block_gradient.narrow(0, begin, count).addmm_(derivatives.narrow(1, begin, count).t(), anchors_);
  });
}

}  // namespace gausscse
