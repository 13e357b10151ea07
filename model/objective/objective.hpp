#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "model/choices.hpp"
#include "model/weights/encoder_weights.hpp"

namespace gausscse {

/// The sentences of an example, by their place in embeddings [roles, batch, width].
namespace role {
inline constexpr std::int64_t premise = 0;
inline constexpr std::int64_t entailment = 1;
inline constexpr std::int64_t hypothesis = 1;  ///< role of labelled pairs
inline constexpr std::int64_t contradiction = 2;
}  // namespace role

/// Examples of the global batch that a rank answers for.
struct AnchorRange {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t count() const { return end - begin; }
};

/// Labels of pairs, in the order of NliLabel.
inline constexpr std::int64_t entailment_label = 0, neutral_label = 1, contradiction_label = 2;

/// Labels, groups and texts of the examples of the global batch: int64 on the CPU, also where the embeddings are not;
/// undefined where the objective does not ask for them.
struct ExampleLabels {
  at::Tensor labels = {};  ///< [batch] entailment_label, neutral_label or contradiction_label
  at::Tensor groups = {};  ///< [batch] equal for two examples exactly where their premises have the same tokens
  at::Tensor texts = {};  ///< [roles, batch] 0 or more, equal for two sentences exactly where they have the same tokens
  /// [pairs, 2] texts of the batch of which the training examples name the second as entailed by the first; rising,
  /// each pair once.
  at::Tensor entailed = {};
};

/// A step of a training. With the numbers of examples it determines all random choices of an objective. So they are the
/// same for any number of ranks, any micro-batch and after a restart.
struct StepOfTraining {
  std::uint64_t seed = 0;    ///< seed of the training
  std::uint64_t number = 0;  ///< number of the step
};

/// Input of a loss, the same on all ranks.
struct ObjectiveInput {
  at::Tensor embeddings;       ///< [roles, batch, width]
  ExampleLabels labels = {};   ///< used if the objective `needs_labels`, or by `false_negatives`
  at::Tensor parameters = {};  ///< values of Objective::parameters one after another; undefined where it has none
  StepOfTraining step = {};
};

/// Memory for the gradient of a loss.
struct ObjectiveGradient {
  at::Tensor embeddings;       ///< shape of ObjectiveInput::embeddings
  at::Tensor parameters = {};  ///< shape of ObjectiveInput::parameters
};

/// Some rows of the global batch next to each other, as candidates.
struct CandidateRows {
  at::Tensor rows;     ///< [roles, n, width]
  std::int64_t first;  ///< the batch's number of the first

  std::int64_t count() const { return rows.size(1); }
};

/// The part of a loss that some anchors contribute, over candidates that come block by block. The blocks cover the
/// batch without overlap. All are given to `see`; then the loss is known; then all are given to `differentiate`; then
/// `finish` gives the rest of the gradient. Memory grows with the anchors and with a block, not with their product, and
/// nothing of a block is kept.
class BlockwiseLoss {
 public:
  virtual ~BlockwiseLoss() = default;
  virtual void accumulate(const CandidateRows& block) = 0;
  /// Returns a float64 tensor without dimensions, on the device of the rows.
  virtual at::Tensor loss() const = 0;
  /// Adds the gradient by the block's rows, as candidates, to `block_gradient`, of their shape. The gradient by the
  /// anchors' rows, as anchors, it may add to `anchor_gradient` [roles, anchors, width] as far as the block has a part
  /// in it, or leave to `finish`.
  virtual void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor anchor_gradient) = 0;
  /// Adds the rest of the gradient by the anchors' rows to `gradient.embeddings`, the `anchor_gradient` of all blocks,
  /// and that by the parameters to `gradient.parameters`.
  virtual void finish(const ObjectiveGradient& gradient) = 0;
};

/// Gives rows to `see`, or to `differentiate` with their gradient and the anchors', in blocks of
/// Objective::candidate_block, which bound the memory besides them.
void see_rows(BlockwiseLoss& loss, const CandidateRows& rows);
void differentiate_rows(BlockwiseLoss& loss, const CandidateRows& rows, const at::Tensor& gradient,
                        const at::Tensor& anchor_gradient);

/// Input that a BlockwiseLoss is begun with. Its tensors must stay as they are while that lives.
struct AnchorInput {
  at::Tensor rows;  ///< [roles, anchors, width]
  AnchorRange own;  ///< their numbers in the batch
  std::int64_t batch;
  ExampleLabels labels = {};  ///< labels of the whole batch
  at::Tensor parameters = {};
  StepOfTraining step = {};
};

/// A training objective: the embeddings of the global batch in, a loss and its gradient out.
///
/// There is one protocol: `begin` makes a BlockwiseLoss, which serves candidates that are gathered as well as those
/// that travel around a ring. `evaluate` gives it all rows of a gathered batch; it is virtual as GaussCSE's loss takes
/// one pass over these.
///
///     std::unique_ptr<BlockwiseLoss> loss = objective.begin({.rows = own_rows, .own = {8, 16}, .batch = 64});
///     for (const CandidateRows& block : blocks) loss->see(block);
///     const double value = loss->loss().item<double>();  // this rank's part: all ranks' add up to the loss
///     for (const CandidateRows& block : blocks) loss->differentiate(block, gradient_of(block), own_gradient);
///     loss->finish({own_gradient, parameter_gradient});
class Objective {
 public:
  /// Candidates that `evaluate` takes at once.
  static constexpr std::int64_t candidate_block = 512;

  virtual ~Objective() = default;
  /// Returns the number of sentences of an example that it needs, of premise, entailment (in labelled pairs:
  /// hypothesis) and contradiction in this order; the others need not be embedded.
  virtual std::int64_t roles() const = 0;
  virtual bool needs_labels() const { return false; }
  /// Returns the rule by which it leaves candidates out. It needs texts unless that is `keep`, and entailed ones for
  /// `mask_known`.
  virtual FalseNegatives false_negatives() const { return FalseNegatives::keep; }
  /// Returns the number of pairs of an anchor and a candidate of the batch that its losses leave out.
  virtual std::int64_t count_left_out(const ExampleLabels& /*batch*/) const { return 0; }
  /// Returns its own parameters, which are trained, saved and checkpointed with the encoder's; their names begin with
  /// "objective.".
  virtual std::vector<ParameterSpec> parameters() const { return {}; }
  virtual std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const = 0;
  /// Returns the part of the loss that the examples `own` contribute, a float64 tensor without dimensions on the device
  /// of the embeddings; parts of all ranks add up to the loss. `gradient` is overwritten with that part's gradient by
  /// ALL embeddings and by the parameters.
  virtual at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const;

 protected:
  /// Throws std::logic_error unless the shapes fit each other and the objective.
  void check(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const;
};

/// Elements of all these parameters.
std::int64_t count_elements(const std::vector<ParameterSpec>& specs);

}  // namespace gausscse
