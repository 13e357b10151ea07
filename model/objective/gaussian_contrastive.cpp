#include "model/objective/gaussian_contrastive.hpp"

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
#include "model/ops/device_kernels.hpp"
#include "model/ops/sum_in_order.hpp"

namespace gausscse {

namespace {

kernels::ContrastiveTerms terms_of(Loss loss) {
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

/// Anchors that are compared with a block of candidates at once: what is held besides the rows and gradients themselves
/// does not grow with a rank's share.
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

class GaussianLoss : public BlockwiseLoss {
 public:
  GaussianLoss(const AnchorInput& anchors, double temperature, Similarity similarity, kernels::ContrastiveTerms terms)
      : anchors_(anchors),
        temperature_(temperature),
        similarity_(similarity),
        terms_(terms),
        weight_(1.0 / static_cast<double>(anchors.batch)),
        sum_(at::zeros({anchors.own.count()}, anchors.rows.options().dtype(at::kDouble))),
        largest_(at::full_like(sum_, -std::numeric_limits<double>::infinity())),
        positive_(at::zeros_like(sum_)) {
    GAUSSCSE_CHECK(anchors.rows.size(2) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  }

  void see(const CandidateRows& block) override {
    for_each_part([&](const AnchorRange& part) {
      with_candidates(block, part, [&](const auto& table, const auto& candidates) {
        table.contrastive_see(ops::context_of(block.rows), candidates, softmax_of(part));
      });
    });
  }

  at::Tensor loss() const override {
    return ops::sum_in_order(sum_.log() + (largest_ - positive_) / temperature_).mul_(weight_);
  }

  void differentiate(const CandidateRows& block, at::Tensor block_gradient, at::Tensor anchor_gradient) override {
    if (block.count() == 0 || anchors_.own.count() == 0) return;
    for_each_part([&](const AnchorRange& part) {
      const at::Tensor& rows = anchors_.rows;
      const at::Tensor by_anchors = at::empty({rows.size(0), part.count(), rows.size(2)}, rows.options()),
                       by_block = at::empty(block.rows.sizes(), rows.options());
      with_candidates(block, part, [&]<typename T>(const kernels::Kernels<T>& table, const auto& candidates) {
        T *anchor_roles[3] = {}, *candidate_roles[3] = {};
        for (std::int64_t role = 0; role < terms_.roles(); ++role) {
          anchor_roles[role] = by_anchors[role].template mutable_data_ptr<T>();
          candidate_roles[role] = by_block[role].template mutable_data_ptr<T>();
        }
        table.contrastive_differentiate(ops::context_of(block.rows), candidates, softmax_of(part), weight_,
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

  template <typename Use>
  void with_candidates(const CandidateRows& block, const AnchorRange& part, const Use& use) const {
    ops::with_scalar_type(anchors_.rows, [&]<typename T>(T) {
      const RolePointers<T> anchors(anchors_.rows.narrow(1, part.begin, part.count())), candidates(block.rows);
      kernels::ContrastiveCandidates<T> input{.anchor_rows = {},
                                              .anchors = part.count(),
                                              .candidate_rows = {},
                                              .candidates = block.count(),
                                              .first_own = anchors_.own.begin + part.begin - block.first,
                                              .dimension = anchors_.rows.size(2) / 2,
                                              .temperature = temperature_,
                                              .similarity = similarity_,
                                              .terms = terms_};
      std::copy_n(anchors.values, 3, input.anchor_rows);
      std::copy_n(candidates.values, 3, input.candidate_rows);
      use(ops::kernels_for<T>(block.rows), input);
    });
  }

  AnchorInput anchors_;
  double temperature_;
  Similarity similarity_;
  kernels::ContrastiveTerms terms_;
  double weight_;
  /// For each anchor, see kernels::RunningSoftmax.
  at::Tensor sum_, largest_, positive_;
};

}  // namespace

GaussianContrastive::GaussianContrastive(Loss loss, Similarity similarity, double temperature)
    : terms_(terms_of(loss)), similarity_(similarity), temperature_(temperature) {
  GAUSSCSE_CHECK(is_gaussian(similarity), "a similarity of Gaussians");
}

std::unique_ptr<BlockwiseLoss> GaussianContrastive::begin(const AnchorInput& anchors) const {
  return std::make_unique<GaussianLoss>(anchors, temperature_, similarity_, terms_);
}

at::Tensor GaussianContrastive::evaluate(const ObjectiveInput& input, AnchorRange own,
                                         const ObjectiveGradient& gradient) const {
  check(input, own, gradient);
  const at::Tensor& embeddings = input.embeddings;
  GAUSSCSE_CHECK(embeddings.size(2) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  const std::int64_t batch = embeddings.size(1);
  at::Tensor out = gradient.embeddings;
  at::Tensor loss = at::empty({}, embeddings.options().dtype(at::kDouble));
  ops::with_scalar_type(embeddings, [&]<typename T>(T) {
    const std::int64_t role = batch * embeddings.size(2);
    const T* rows = ops::data<const T>(embeddings);
    T* gradient_rows = ops::data<T>(out);
    const bool third = roles() == 3;
    T* const gradients[3] = {gradient_rows, gradient_rows + role, third ? gradient_rows + 2 * role : nullptr};
    ops::kernels_for<T>(embeddings)
        .contrastive_loss(ops::context_of(embeddings),
                          {.rows = {rows, rows + role, third ? rows + 2 * role : nullptr},
                           .batch = batch,
                           .dimension = embeddings.size(2) / 2,
                           .anchor_begin = own.begin,
                           .anchor_end = own.end,
                           .temperature = temperature_,
                           .similarity = similarity_,
                           .terms = terms_},
                          loss.mutable_data_ptr<double>(), gradients);
  });
  return loss;
}

}  // namespace gausscse
