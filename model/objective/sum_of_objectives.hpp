#pragma once

#include <memory>
#include <vector>

#include "model/objective/objective.hpp"

namespace gausscse {

/// Several objectives at once: the sum of their losses. One that needs fewer roles than another is given the first
/// ones.
class SumOfObjectives : public Objective {
 public:
  /// At least one.
  explicit SumOfObjectives(std::vector<std::unique_ptr<Objective>> terms);

  /// The most that a term needs.
  std::int64_t roles() const override;
  double evaluate(const at::Tensor& embeddings, AnchorRange own, at::Tensor gradient) const override;

 private:
  std::vector<std::unique_ptr<Objective>> terms_;
};

}  // namespace gausscse
