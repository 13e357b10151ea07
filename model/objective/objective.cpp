#include "model/objective/objective.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Calls `use(block, its part of the gradient)` for the rows of the batch, block by block.
template <typename Use>
void for_each_block(const ObjectiveInput& input, const ObjectiveGradient& gradient, const Use& use) {
  const std::int64_t batch = input.embeddings.size(1);
  for (std::int64_t first = 0; first < batch; first += Objective::candidate_block) {
    const std::int64_t count = std::min(Objective::candidate_block, batch - first);
    use(CandidateRows{input.embeddings.narrow(1, first, count), first}, gradient.embeddings.narrow(1, first, count));
  }
}

void check_integers(const at::Tensor& values, std::int64_t batch, const char* what) {
  GAUSSCSE_CHECK(values.defined() && values.scalar_type() == at::kLong && values.dim() == 1 && values.size(0) == batch,
                 what, " are int64 [batch]");
}

}  // namespace

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
  const std::int64_t count = count_elements(parameters());
  GAUSSCSE_CHECK(count == 0 || (input.parameters.numel() == count && gradient.parameters.numel() == count),
                 "the objective has ", count, " elements of parameters");
}

double Objective::evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const {
  check(input, own, gradient);
  gradient.embeddings.zero_();
  if (gradient.parameters.defined()) gradient.parameters.zero_();
  if (own.count() == 0) return 0;
  const std::unique_ptr<BlockwiseLoss> loss = begin({.rows = input.embeddings.narrow(1, own.begin, own.count()),
                                                     .own = own,
                                                     .batch = input.embeddings.size(1),
                                                     .labels = input.labels,
                                                     .parameters = input.parameters});
  for_each_block(input, gradient, [&](const CandidateRows& block, const at::Tensor&) { loss->see(block); });
  for_each_block(input, gradient, [&](const CandidateRows& block, const at::Tensor& block_gradient) {
    loss->differentiate(block, block_gradient);
  });
  loss->finish({gradient.embeddings.narrow(1, own.begin, own.count()), gradient.parameters});
  return loss->loss();
}

std::int64_t count_elements(const std::vector<ParameterSpec>& specs) {
  std::size_t sum = 0;
  for (const ParameterSpec& spec : specs) sum += spec.size();
  return static_cast<std::int64_t>(sum);
}

}  // namespace gausscse
