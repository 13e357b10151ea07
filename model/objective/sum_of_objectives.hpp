#pragma once

#include <memory>
#include <vector>

#include "model/objective/objective.hpp"

namespace gausscse {

/// Several objectives at once: the weighted sum of their losses. One that needs fewer roles than another is given the
/// first ones.
class SumOfObjectives : public Objective {
 public:
  struct Term {
    std::unique_ptr<Objective> objective;
    double weight = 1;
  };
  /// Adds up `terms`, at least one; no two may have parameters of one name.
  explicit SumOfObjectives(std::vector<Term> terms);

  /// Returns the most that a term needs.
  std::int64_t roles() const override;
  /// Returns whether a term does.
  bool needs_labels() const override;
  /// Returns the parameters of the terms, one term after another.
  std::vector<ParameterSpec> parameters() const override;
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;
  /// Asks each term for all candidates at once, which some compute faster than block by block.
  at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override;

 private:
  std::vector<Term> terms_;
};

}  // namespace gausscse
