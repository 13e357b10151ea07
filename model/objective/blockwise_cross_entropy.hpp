#pragma once

#include <ATen/core/Tensor.h>

#include "model/ops/reused_matrix.hpp"

namespace gausscse {

/// Candidates that stand next to each other in the batch.
struct CandidateBlock {
  at::Tensor rows;     ///< [n, d]
  std::int64_t first;  ///< the batch's number of the first
  bool positive;       ///< true if the candidate of an anchor's own number is its target, or a hard negative
};

/// Candidates of a block that each anchor is compared with, where that is not all of them, and those that it should
/// find.
struct CandidateChoice {
  /// [m, n], of the anchors' type: the share of each candidate; those of an anchor add up to 1. Undefined: the
  /// candidate of its own number.
  at::Tensor target;
  at::Tensor left_out;  ///< bool [m, n]: the candidates that an anchor is not compared with
};

/// Cross entropy of anchors over candidates that come block by block, so that memory grows with the anchors and with a
/// block, not with their product. With a_i the anchors and c_j all candidates of all blocks,
///   logit_ij = a_i . c_j / temperature, plus `hard_negative_weight` where c_j is the hard negative of i's own number,
///   cross entropy of i = log(sum_j exp(logit_ij)) - logit_ip, p being the positive candidate of i's own number.
/// Where blocks come with a choice, the sum is over the candidates that are not left out. With its target, sum_j
/// target_ij logit_ij takes the place of logit_ip. All blocks are given to `see`, then `loss` is known, and
/// `differentiate` is given all blocks again, which computes their logits again. The bits depend on anchors and blocks,
/// not on the number of threads.
class BlockwiseCrossEntropy {
 public:
  struct Settings {
    double temperature;
    double hard_negative_weight;
  };
  /// Begins the loss of `anchors` [m, d]; `first` is the batch's number of the first.
  BlockwiseCrossEntropy(const at::Tensor& anchors, std::int64_t first, const Settings& settings);

  void accumulate(const CandidateBlock& block, const CandidateChoice* choice = nullptr);
  /// Returns the sum over the anchors, a float64 tensor without dimensions.
  at::Tensor loss() const;
  /// Adds `weight` times the gradient of that sum, as far as the block has a part in it. The one by the anchors goes to
  /// `anchor_gradient` [m, d], the one by the block's rows to `block_gradient`, of their shape.
  void backward(const CandidateBlock& block, double weight, at::Tensor anchor_gradient, at::Tensor block_gradient,
                const CandidateChoice* choice = nullptr);

 private:
  /// Some anchors, and their logits with a block.
  struct Part {
    std::int64_t begin, count;
    at::Tensor logits;  ///< [count, rows of the block]
    at::Tensor own;     ///< logits of anchors with the candidates of the same numbers; undefined where there are none
    std::int64_t own_begin;       ///< anchor of its first element
    at::Tensor target, left_out;  ///< tensors of the choice, as the logits; undefined where there is none
    /// Makes the logits of the left-out candidates -infinity.
    void leave_out() const;
  };
  /// Computes logits with a block and hands them to `use`: on CPUs part by part, each on the thread that has it, on
  /// other devices all at once.
  template <typename Use>
  at::Tensor for_each_part(const CandidateBlock& block, const CandidateChoice* choice, const Use& use);

  at::Tensor anchors_;
  std::int64_t first_;
  Settings settings_;
  /// For each anchor over the blocks seen so far, float64 [m]: the largest logit and the sum of exp(logit - largest).
  /// Then the logit of the positive candidate, or the sum of target times logit.
  at::Tensor sums_, largest_, positive_;
  ReusedMatrix logits_;
};

}  // namespace gausscse
