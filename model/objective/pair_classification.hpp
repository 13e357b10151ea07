#pragma once

#include "model/choices.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

/// SBERT's classification of labelled pairs, as Liao trains it: with u and v the embeddings of premise and hypothesis,
///   logits = output(activation(hidden([u, v, |u - v|]))),
/// hidden from 3 * width to 3 * width / 2 (rounded down), output from there to the three labels; loss = mean over the
/// batch of the cross entropy of the logits against the label. Its parameters are
/// objective.classifier.{hidden,output}.{weight,bias}, laid out as torch.nn.Linear's.
///
/// The bits do not depend on the number of threads.
class PairClassification : public Objective {
 public:
  static constexpr std::int64_t labels = 3;

  PairClassification(ClassifierActivation activation, std::int64_t width) : activation_(activation), width_(width) {}

  std::int64_t roles() const override { return 2; }
  bool needs_labels() const override { return true; }
  std::vector<ParameterSpec> parameters() const override;
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;

 private:
  ClassifierActivation activation_;
  std::int64_t width_;
};

}  // namespace gausscse
