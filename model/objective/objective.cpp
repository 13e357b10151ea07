#include "model/objective/objective.hpp"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Calls `use(first, count)` for blocks of Objective::candidate_block rows.
template <typename Use>
void for_each_block(std::int64_t rows, const Use& use) {
  for (std::int64_t first = 0; first < rows; first += Objective::candidate_block)
    use(first, std::min(Objective::candidate_block, rows - first));
}

void check_integers(const at::Tensor& values, std::int64_t batch, const char* what) {
  GAUSSCSE_CHECK(values.defined() && values.scalar_type() == at::kLong && values.dim() == 1 && values.size(0) == batch,
                 what, " are int64 [batch]");
}

}  // namespace

void see_rows(BlockwiseLoss& loss, const CandidateRows& rows) {
  for_each_block(rows.count(), [&](std::int64_t first, std::int64_t count) {
    loss.accumulate({rows.rows.narrow(1, first, count), rows.first + first});
  });
}

void differentiate_rows(BlockwiseLoss& loss, const CandidateRows& rows, const at::Tensor& gradient,
                        const at::Tensor& anchor_gradient) {
  for_each_block(rows.count(), [&](std::int64_t first, std::int64_t count) {
    loss.backward({rows.rows.narrow(1, first, count), rows.first + first}, gradient.narrow(1, first, count),
                  anchor_gradient);
  });
}

void Objective::check(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const {
  const at::Tensor& embeddings = input.embeddings;
  GAUSSCSE_CHECK(embeddings.dim() == 3 && embeddings.size(0) == roles(), "embeddings are [", roles(),
                 ", batch, width]");
  GAUSSCSE_CHECK(gradient.embeddings.sizes() == embeddings.sizes(), "the gradient has the embeddings' shape");
  const std::int64_t batch = embeddings.size(1);
  GAUSSCSE_CHECK(0 <= own.begin && own.begin <= own.end && own.end <= batch, "anchors lie in the batch");
  if (needs_labels()) {
    check_integers(input.labels.labels, batch, "labels");
    check_integers(input.labels.groups, batch, "groups");
  }
  if (false_negatives() != FalseNegatives::keep) {
    const at::Tensor &texts = input.labels.texts, &entailed = input.labels.entailed;
    GAUSSCSE_CHECK(texts.defined() && texts.scalar_type() == at::kLong && texts.dim() == 2 &&
                       texts.size(0) >= roles() && texts.size(1) == batch,
                   "texts are int64 [roles, batch]");
    GAUSSCSE_CHECK(
        false_negatives() != FalseNegatives::mask_known ||
            (entailed.defined() && entailed.scalar_type() == at::kLong && entailed.dim() == 2 && entailed.size(1) == 2),
        "entailed texts are int64 [pairs, 2]");
  }
  const std::int64_t count = count_elements(parameters());
  GAUSSCSE_CHECK(count == 0 || (input.parameters.numel() == count && gradient.parameters.numel() == count),
                 "the objective has ", count, " elements of parameters");
}

at::Tensor Objective::evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const {
  check(input, own, gradient);
  gradient.embeddings.zero_();
  if (gradient.parameters.defined()) gradient.parameters.zero_();
  if (own.count() == 0) return at::zeros({}, input.embeddings.options().dtype(at::kDouble));
  const std::unique_ptr<BlockwiseLoss> loss = begin({.rows = input.embeddings.narrow(1, own.begin, own.count()),
                                                     .own = own,
                                                     .batch = input.embeddings.size(1),
                                                     .labels = input.labels,
                                                     .parameters = input.parameters,
                                                     .step = input.step});
  see_rows(*loss, {input.embeddings, 0});
  const at::Tensor anchor_gradient = gradient.embeddings.narrow(1, own.begin, own.count());
  differentiate_rows(*loss, {input.embeddings, 0}, gradient.embeddings, anchor_gradient);
  loss->finish({anchor_gradient, gradient.parameters});
  return loss->loss();
}

std::int64_t count_elements(const std::vector<ParameterSpec>& specs) {
  std::size_t sum = 0;
  for (const ParameterSpec& spec : specs) sum += spec.size();
  return static_cast<std::int64_t>(sum);
}

}  // namespace gausscse
