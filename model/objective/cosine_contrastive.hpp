#pragma once

#include "model/choices.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

struct CosineContrastiveSettings {
  double temperature = 0.05;
  bool hard_negatives = true;       ///< true if contradictions are candidates, too
  double hard_negative_weight = 0;  ///< added to the logit of an anchor's own hard negative
  Directions directions = Directions::one;
  /// Only the first half of a row counts, the mean of a Gaussian; the gradient by the other half is 0.
  bool of_means = false;
};

/// Contrastive loss of cosines over the global batch: supervised SimCSE's, and without hard negatives that of the
/// isotropy paper (eq. 1). With tau the temperature, and z, z+, z- premises, entailments and contradictions,
///   logits of row i = [cos(z_i, z_j+)/tau for all j | cos(z_i, z_j-)/tau for all j],
/// loss = mean over i of the cross entropy of row i against its column i. With both directions it is the mean of that
/// and of the same with the rows [cos(z_i+, z_j)/tau for all j], which have no hard negatives. The cosine with a zero
/// row is 0, and so is the gradient by one.
///
/// Memory is O(batch * width). The bits do not depend on the number of threads.
class CosineContrastive : public Objective {
 public:
  explicit CosineContrastive(const CosineContrastiveSettings& settings) : settings_(settings) {}

  /// Returns 3 with hard negatives, else 2.
  std::int64_t roles() const override { return settings_.hard_negatives ? 3 : 2; }
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;

 private:
  CosineContrastiveSettings settings_;
};

}  // namespace gausscse
