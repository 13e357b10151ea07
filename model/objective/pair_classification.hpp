#pragma once

#include "model/choices.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

/// SBERT's classification of labelled pairs, as Liao trains it: loss = mean over the batch of the cross entropy of the
/// logits of a PairClassifier, whose parameters are the objective's, against the label.
///
/// The bits do not depend on the number of threads.
class PairClassification : public Objective {
 public:
  PairClassification(ClassifierActivation activation, std::int64_t width) : activation_(activation), width_(width) {}

  std::int64_t roles() const override { return 2; }
  bool needs_labels() const override { return true; }
  std::vector<ParameterSpec> parameters() const override;
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;

 private:
  ClassifierActivation activation_;
  std::int64_t width_;
};

/// Returns the sum over the anchors' own pairs of the cross entropy, times `weight`.
std::unique_ptr<BlockwiseLoss> begin_pair_classification(ClassifierActivation activation, const AnchorInput& anchors,
                                                         double weight);

}  // namespace gausscse
