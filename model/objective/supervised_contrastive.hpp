#pragma once

#include "model/objective/contrast_sets.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

struct SupervisedContrastiveSettings {
  double temperature = 1;
  ContrastLimits limits = {};
};

/// Liao's supervised contrastive loss (eq. 2) over the global batch of labelled pairs. With a_i the premise of an
/// entailment pair, x_j hypotheses, tau the temperature, P_i and Q_i as in ContrastSets,
///   L_i = -1/|P_i| * sum over p in P_i of log( exp(a_i . x_p / tau) / sum over k in P_i and Q_i of exp(a_i . x_k /
///   tau) ),
/// of vectors as they are, without normalisation; loss = mean of L_i over the anchors of the batch, 0 where it has
/// none.
///
/// Memory is O(batch * width). The bits do not depend on the number of threads.
class SupervisedContrastive : public Objective {
 public:
  explicit SupervisedContrastive(const SupervisedContrastiveSettings& settings) : settings_(settings) {}

  std::int64_t roles() const override { return 2; }
  bool needs_labels() const override { return true; }
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;

 private:
  SupervisedContrastiveSettings settings_;
};

}  // namespace gausscse
