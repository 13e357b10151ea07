#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "model/device/device_kernels.hpp"
#include "model/device/transfers.hpp"
#include "model/objective/losses.hpp"
#include "model/objective/masked_texts.hpp"
#include "model/ops/sum_in_order.hpp"

namespace gausscse {

namespace {

kernels::ContrastiveTerms terms_of_loss(Loss loss) {
  switch (loss) {
    case Loss::ent:
      return {.contradiction = false, .reversed = false};
    case Loss::ent_con:
      return {.contradiction = true, .reversed = false};
    case Loss::ent_rev:
      return {.contradiction = false, .reversed = true};
    case Loss::ent_con_rev:
      return {.contradiction = true, .reversed = true};
  }
  throw std::logic_error("no loss of this number");
}

/// Anchors that are compared with a block of candidates at once: memory besides the rows and gradients themselves does
/// not grow with a rank's local batch.
constexpr std::int64_t anchors_at_once = 1024;

/// The rows of each role, [roles, n, width]; a role may lie apart from the one before.
template <typename T>
struct RolePointers {
  explicit RolePointers(const at::Tensor& rows) {
    GAUSSCSE_CHECK(rows.stride(2) == 1 && rows.stride(1) == rows.size(2), "rows lie next to each other");
    for (std::int64_t role = 0; role < rows.size(0); ++role)
      values[role] = rows.const_data_ptr<T>() + role * rows.stride(0);
  }
  const T* values[3] = {};
};

/// Texts of anchors and candidates on the device of the embeddings, for kernels.
class DeviceMask {
 public:
  DeviceMask(const ObjectiveSettings& settings, const AnchorInput& anchors) {
    // The reversed set asks whether a premise of the batch is entailed by an entailment.
    for (const std::int64_t role : {role::premise, role::entailment}) {
      const MaskedTexts texts(settings.false_negatives, anchors.labels, anchors.own, role, role::premise);
      if (!texts.exist()) return;
      const auto copied = [&](const at::Tensor& tensor) { return ops::to_device(tensor, anchors.rows.device()); };
      anchors_[role] = copied(texts.anchors());
      known_ = copied(texts.known());
      candidates_ = copied(anchors.labels.texts.contiguous());
    }
  }

  /// Returns the mask of anchors from `first_anchor` on, counted from the first, with a block of candidates.
  kernels::CandidateMask of(std::int64_t first_anchor, const CandidateRows& block) const {
    kernels::CandidateMask mask;
    if (!candidates_.defined()) return mask;
    for (const std::int64_t role : {role::premise, role::entailment})
      mask.anchors[role] =
          reinterpret_cast<const kernels::AnchorTexts*>(anchors_[role].const_data_ptr<std::int64_t>()) + first_anchor;
    for (std::int64_t role = 0; role < block.rows.size(0); ++role)
      mask.candidates[role] = candidates_[role].const_data_ptr<std::int64_t>() + block.first;
    mask.known = known_.const_data_ptr<std::int64_t>();
    return mask;
  }

 private:
  at::Tensor anchors_[2], candidates_, known_;
};

/// Calls `use(kernels, candidates)` with a part of the anchors, numbered from the first, and a block of candidates.
template <typename Use>
void with_candidates(const ObjectiveSettings& settings, const AnchorInput& anchors, const DeviceMask& mask,
                     const AnchorRange& part, const CandidateRows& block, const Use& use) {
  GAUSSCSE_CHECK(anchors.rows.size(2) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  ops::with_scalar_type(anchors.rows, [&]<typename T>(T) {
    const RolePointers<T> of_anchors(anchors.rows.narrow(1, part.begin, part.count())), of_block(block.rows);
    kernels::ContrastiveCandidates<T> input{.anchor_rows = {},
                                            .anchors = part.count(),
                                            .candidate_rows = {},
                                            .candidates = block.count(),
                                            .first_own = anchors.own.begin + part.begin - block.first,
                                            .dimension = anchors.rows.size(2) / 2,
                                            .temperature = settings.temperature,
                                            .similarity = settings.similarity,
                                            .terms = terms_of_loss(settings.loss),
                                            .mask = mask.of(part.begin, block)};
    std::copy_n(of_anchors.values, 3, input.anchor_rows);
    std::copy_n(of_block.values, 3, input.candidate_rows);
    use(ops::kernels_for<T>(block.rows), input);
  });
}

/// GaussCSE's loss of the anchors of one rank, over the global batch (paper, eq. 3; the mean over anchors in place of
/// the sum, as the released program has it). Example i is a premise s_i with its entailment s_i+ and its contradiction
/// s_i-, each a Gaussian N(m, s^2) of D dimensions. With tau the temperature and j over the examples of the batch,
///
///     V_E(i) = sum_j exp(sim(s_j+ || s_i) / tau)    entailment set
///     V_C(i) = sum_j exp(sim(s_j- || s_i) / tau)    contradiction set
///     V_R(i) = sum_j exp(sim(s_j || s_i+) / tau)    reversed set
///
///     loss = mean over i of -log(exp(sim(s_i+ || s_i) / tau) / (V_E(i) + V_C(i) + V_R(i)))
///
/// where `Loss` chooses whether V_C and V_R are in the sum, and
///
///     kl_d(p || q) = ((s_p / s_q)^2 + ((m_p - m_q) / s_q)^2 - 1 - 2 log(s_p / s_q)) / 2    (eq. 1, one dimension)
///     sim(p || q) = 1 / (1 + sum over d of kl_d(p || q))       `joint` (eq. 2)
///     sim(p || q) = mean over d of 1 / (1 + kl_d(p || q))      `per_dimension`, the released program's
///
/// A candidate j != i that `false_negatives` leaves out (MaskedTexts) is in none of the sums: of the anchor s_i in V_E
/// and V_C, of the anchor s_i+ in V_R.
///
/// `see` adds a block of candidates to the sums of the anchors, `loss` is the formula, `differentiate` its gradient.
class GaussianLoss : public BlockwiseLoss {
 public:
  GaussianLoss(const ObjectiveSettings& settings, const AnchorInput& anchors)
      : settings_(settings),
        anchors_(anchors),
        mask_(settings, anchors),
        weight_(1.0 / static_cast<double>(anchors.batch)),
        sum_(at::zeros({anchors.own.count()}, anchors.rows.options().dtype(at::kDouble))),
        largest_(at::full_like(sum_, -std::numeric_limits<double>::infinity())),
        positive_(at::zeros_like(sum_)) {}

  void accumulate(const CandidateRows& block) override {
    for_each_part([&](const AnchorRange& part) {
      with_candidates(settings_, anchors_, mask_, part, block, [&](const auto& table, const auto& candidates) {
        table.contrastive_accumulate(ops::context_of(block.rows), candidates, softmax_of(part));
      });
    });
  }

  at::Tensor loss() const override {
    return ops::sum_in_order(sum_.log() + (largest_ - positive_) / settings_.temperature).mul_(weight_);
  }

  void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor anchor_gradient) override {
    if (block.count() == 0 || anchors_.own.count() == 0) return;
    for_each_part([&](const AnchorRange& part) {
      const at::Tensor& rows = anchors_.rows;
      const at::Tensor by_anchors = at::empty({rows.size(0), part.count(), rows.size(2)}, rows.options()),
                       by_block = at::empty(block.rows.sizes(), rows.options());
      with_candidates(settings_, anchors_, mask_, part, block,
                      [&]<typename T>(const kernels::Kernels<T>& table, const auto& candidates) {
                        T *anchor_roles[3] = {}, *candidate_roles[3] = {};
                        for (std::int64_t role = 0; role < rows.size(0); ++role) {
                          anchor_roles[role] = by_anchors[role].template mutable_data_ptr<T>();
                          candidate_roles[role] = by_block[role].template mutable_data_ptr<T>();
                        }
                        table.contrastive_backward(ops::context_of(block.rows), candidates, softmax_of(part), weight_,
                                                   anchor_roles, candidate_roles);
                      });
      anchor_gradient.narrow(1, part.begin, part.count()).add_(by_anchors);
      block_gradient.add_(by_block);
    });
  }

  void finish(const ObjectiveGradient&) override {}

 private:
  /// Calls `use(part)` for ranges of this rank's anchors, numbered from its first.
  template <typename Use>
  void for_each_part(const Use& use) const {
    const std::int64_t own = anchors_.own.count();
    for (std::int64_t begin = 0; begin < own; begin += anchors_at_once)
      use(AnchorRange{begin, std::min(begin + anchors_at_once, own)});
  }

  kernels::RunningSoftmax softmax_of(const AnchorRange& part) {
    return {largest_.mutable_data_ptr<double>() + part.begin, sum_.mutable_data_ptr<double>() + part.begin,
            positive_.mutable_data_ptr<double>() + part.begin};
  }

  ObjectiveSettings settings_;
  AnchorInput anchors_;
  DeviceMask mask_;
  double weight_;
  /// For each anchor, see kernels::RunningSoftmax.
  at::Tensor sum_, largest_, positive_;
};

}  // namespace

std::unique_ptr<BlockwiseLoss> begin_gaussian_contrastive(const ObjectiveSettings& settings,
                                                          const AnchorInput& anchors) {
  return std::make_unique<GaussianLoss>(settings, anchors);
}

at::Tensor evaluate_gaussian_contrastive(const ObjectiveSettings& settings, const ObjectiveInput& input,
                                         AnchorRange own, const ObjectiveGradient& gradient) {
  const at::Tensor& embeddings = input.embeddings;
  GAUSSCSE_CHECK(gradient.embeddings.is_contiguous(), "kernels take contiguous tensors");
  const AnchorInput anchors{embeddings.narrow(1, own.begin, own.count()), own, embeddings.size(1), input.labels};
  const DeviceMask mask(settings, anchors);
  at::Tensor loss = at::empty({}, embeddings.options().dtype(at::kDouble));
  with_candidates(settings, anchors, mask, {0, own.count()}, {embeddings, 0},
                  [&]<typename T>(const kernels::Kernels<T>& table, const auto& candidates) {
                    T* gradients[3] = {};
                    for (std::int64_t role = 0; role < embeddings.size(0); ++role)
                      gradients[role] = gradient.embeddings[role].template mutable_data_ptr<T>();
                    table.contrastive_loss(ops::context_of(embeddings), candidates, loss.mutable_data_ptr<double>(),
                                           gradients);
                  });
  return loss;
}

}  // namespace gausscse
