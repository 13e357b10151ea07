#pragma once

#include "model/choices.hpp"
#include "model/kernels/kernels.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

/// GaussCSE's loss over the global batch (paper, eq. 3; mean over anchors in place of the sum, as the released program
/// has it). With tau the temperature, and j over all triples,
///   V_E(i) = sum_j exp(sim(s_j+ || s_i) / tau)    entailment set
///   V_C(i) = sum_j exp(sim(s_j- || s_i) / tau)    contradiction set
///   V_R(i) = sum_j exp(sim(s_j || s_i+) / tau)    reversed set
/// loss = mean over i of -log(exp(sim(s_i+ || s_i) / tau) / (V_E + the chosen others)).
///
/// Memory is O(batch * dimension), and no matrix of batch x batch is held when the batch is large.
class GaussianContrastive : public Objective {
 public:
  /// Makes the objective. `similarity`: of Gaussians.
  GaussianContrastive(Loss loss, Similarity similarity, double temperature);

  /// Returns 3 where the loss has V_C, else 2: contradictions stand in no other term.
  std::int64_t roles() const override { return terms_.roles(); }
  /// Begins a loss. Rows are 2*dimension wide, mean then log-variance.
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;
  /// Computes value and gradient in one pass over blocks of anchors, as all candidates are at hand: each pair is
  /// compared once in place of twice.
  at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override;

 private:
  kernels::ContrastiveTerms terms_;
  Similarity similarity_;
  double temperature_;
};

}  // namespace gausscse
