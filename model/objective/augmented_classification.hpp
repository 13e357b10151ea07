#pragma once

#include "model/choices.hpp"
#include "model/objective/contrast_sets.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

struct AugmentedClassificationSettings {
  ClassifierActivation activation = ClassifierActivation::none;
  ContrastLimits limits = {};
  OtherPremiseLabel other_premise_label = OtherPremiseLabel::neutral;
};

/// Liao's baselines "Augment": PairClassification of the batch's pairs and, for each anchor i of ContrastSets, of the
/// pairs of its premise with the hypotheses that the supervised contrastive loss compares it with, but its own, which
/// is one of the batch's. A hypothesis of the anchor's group keeps its label; one of another group has
/// `other_premise_label`, of which the text says nothing. loss = mean over all these pairs of the cross entropy.
///
/// Memory is O(batch * width). The bits do not depend on the number of threads.
class AugmentedClassification : public Objective {
 public:
  AugmentedClassification(const AugmentedClassificationSettings& settings, std::int64_t width)
      : settings_(settings), width_(width) {}

  std::int64_t roles() const override { return 2; }
  bool needs_labels() const override { return true; }
  std::vector<ParameterSpec> parameters() const override;
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;

 private:
  AugmentedClassificationSettings settings_;
  std::int64_t width_;
};

}  // namespace gausscse
