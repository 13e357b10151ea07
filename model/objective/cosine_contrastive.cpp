#include <ATen/ops/mul.h>
#include <ATen/ops/zeros_like.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/device/transfers.hpp"
#include "model/objective/blockwise_cross_entropy.hpp"
#include "model/objective/losses.hpp"
#include "model/objective/masked_texts.hpp"
#include "model/ops/unit_rows.hpp"

namespace gausscse {

namespace {

class CosineLoss : public BlockwiseLoss {
 public:
  CosineLoss(const ObjectiveSettings& settings, const AnchorInput& anchors)
      : settings_(settings),
        width_(settings.of_means ? anchors.rows.size(2) / 2 : anchors.rows.size(2)),
        weight_(1.0 /
                static_cast<double>(settings.directions == Directions::both ? 2 * anchors.batch : anchors.batch)) {
    GAUSSCSE_CHECK(!settings.of_means || anchors.rows.size(2) % 2 == 0, "rows of Gaussians are [mean | log_var]");
    directions_.push_back(direction(role::premise, {role::entailment}, anchors));
    if (settings.hard_negatives) directions_.front().candidate_roles.push_back(role::contradiction);
    if (settings.directions == Directions::both)
      directions_.push_back(direction(role::entailment, {role::premise}, anchors));
  }

  void accumulate(const CandidateRows& block) override {
    const std::vector<UnitRows> units = unit_rows(block.rows);
    for (Direction& direction : directions_)
      for (const std::int64_t role : direction.candidate_roles) {
        const std::optional<CandidateChoice> choice = choice_of(role, block, direction);
        direction.cross_entropy.accumulate(candidates(units, role, block, direction), choice ? &*choice : nullptr);
      }
  }

  at::Tensor loss() const override {
    at::Tensor sum = at::mul(directions_.front().cross_entropy.loss(), weight_);
    for (std::size_t i = 1; i < directions_.size(); ++i)
      sum.add_(at::mul(directions_[i].cross_entropy.loss(), weight_));
    return sum;
  }

  void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor) override {
    const std::vector<UnitRows> units = unit_rows(block.rows);
    std::vector<at::Tensor> by_units;
    for (const UnitRows& rows : units) by_units.push_back(at::zeros_like(rows.rows()));
    for (Direction& direction : directions_)
      for (const std::int64_t role : direction.candidate_roles) {
        const std::optional<CandidateChoice> choice = choice_of(role, block, direction);
        direction.cross_entropy.backward(candidates(units, role, block, direction), weight_, direction.by_anchors,
                                         by_units[static_cast<std::size_t>(role)], choice ? &*choice : nullptr);
      }
    for (std::size_t role = 0; role < units.size(); ++role) add(units[role], by_units[role], role, block_gradient);
  }

  void finish(const ObjectiveGradient& gradient) override {
    for (const Direction& direction : directions_)
      add(direction.anchors, direction.by_anchors, static_cast<std::size_t>(direction.anchor_role),
          gradient.embeddings);
  }

 private:
  /// Anchors of one role, and the roles of their candidates, the positive ones first.
  struct Direction {
    std::int64_t anchor_role;
    std::vector<std::int64_t> candidate_roles;
    UnitRows anchors;
    BlockwiseCrossEntropy cross_entropy;
    at::Tensor by_anchors;  ///< gradient by the anchors of unit length
    MaskedTexts masked;
  };

  Direction direction(std::int64_t anchor_role, std::vector<std::int64_t> candidate_roles, const AnchorInput& anchors) {
    const UnitRows units(anchors.rows[anchor_role].narrow(1, 0, width_));
    return {
        anchor_role, std::move(candidate_roles), units,
        BlockwiseCrossEntropy(units.rows(), anchors.own.begin, {settings_.temperature, settings_.hard_negative_weight}),
        at::zeros_like(units.rows()),
        // Cosines have no direction: what a pair names counts for either of its texts.
        MaskedTexts(settings_.false_negatives, anchors.labels, anchors.own, anchor_role, anchor_role)};
  }

  static std::optional<CandidateChoice> choice_of(std::int64_t role, const CandidateRows& block,
                                                  const Direction& direction) {
    if (!direction.masked.exist()) return std::nullopt;
    return CandidateChoice{
        .target = {},
        .left_out = ops::to_device(direction.masked.left_out(role, block.first, block.count()), block.rows.device())};
  }

  std::vector<UnitRows> unit_rows(const at::Tensor& rows) const {
    std::vector<UnitRows> units;
    for (std::int64_t role = 0; role < rows.size(0); ++role) units.emplace_back(rows[role].narrow(1, 0, width_));
    return units;
  }

  static CandidateBlock candidates(const std::vector<UnitRows>& units, std::int64_t role, const CandidateRows& block,
                                   const Direction& direction) {
    return {units[static_cast<std::size_t>(role)].rows(), block.first, role == direction.candidate_roles.front()};
  }

  /// Adds the gradient by a role's rows that the one by its rows of unit length, which is overwritten, makes.
  void add(const UnitRows& units, const at::Tensor& by_units, std::size_t role, const at::Tensor& gradient) const {
    units.backward(by_units);
    gradient[static_cast<std::int64_t>(role)].narrow(1, 0, width_).add_(by_units);
  }

  ObjectiveSettings settings_;
  std::int64_t width_;
  double weight_;
  std::vector<Direction> directions_;
};

}  // namespace

std::unique_ptr<BlockwiseLoss> begin_cosine_contrastive(const ObjectiveSettings& settings, const AnchorInput& anchors) {
  return std::make_unique<CosineLoss>(settings, anchors);
}

}  // namespace gausscse
