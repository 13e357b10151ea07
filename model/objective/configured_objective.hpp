#pragma once

#include <memory>
#include <vector>

#include "model/objective/objective.hpp"
#include "model/objective/objective_settings.hpp"

namespace gausscse {

/// Objective that settings describe: one of the losses (losses.hpp), or the weighted sum of several. A term that needs
/// fewer roles than another is given the first ones; the parameters of one term lie behind those of another.
class ConfiguredObjective : public Objective {
 public:
  /// Makes an objective of embeddings of this width, which only a classifier needs. Throws std::logic_error where the
  /// similarity does not fit the kind.
  explicit ConfiguredObjective(const ObjectiveSettings& settings, std::int64_t width = 0);

  std::int64_t roles() const override { return roles_of(settings_); }
  bool needs_labels() const override { return gausscse::needs_labels(settings_); }
  FalseNegatives false_negatives() const override { return false_negatives_of(settings_); }
  std::int64_t count_left_out(const ExampleLabels& batch) const override;
  std::vector<ParameterSpec> parameters() const override;
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override;
  /// Gives each loss all candidates at once, which GaussCSE's computes faster than block by block.
  at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override;

 private:
  class SumOfLosses;

  /// Objective that is part of a sum.
  struct Term {
    std::shared_ptr<const Objective> objective;
    double weight;
    std::int64_t first_parameter, parameter_count;  ///< its elements of the sum's parameters

    /// Returns the term's roles of the sum's rows.
    at::Tensor rows(const at::Tensor& all) const { return all.narrow(0, 0, objective->roles()); }
    /// Returns the term's elements of the sum's parameters; undefined where it has none.
    at::Tensor parameters(const at::Tensor& all) const {
      return parameter_count == 0 ? at::Tensor() : all.narrow(0, first_parameter, parameter_count);
    }
  };

  ObjectiveSettings settings_;
  std::int64_t width_;
  std::vector<Term> terms_;  ///< empty for a single loss
};

}  // namespace gausscse
