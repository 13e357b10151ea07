#include "model/objective/sum_of_objectives.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

SumOfObjectives::SumOfObjectives(std::vector<std::unique_ptr<Objective>> terms) : terms_(std::move(terms)) {
  GAUSSCSE_CHECK(!terms_.empty(), "a sum has terms");
}

std::int64_t SumOfObjectives::roles() const {
  std::int64_t most = 0;
  for (const auto& term : terms_) most = std::max(most, term->roles());
  return most;
}

double SumOfObjectives::evaluate(const at::Tensor& embeddings, AnchorRange own, at::Tensor gradient) const {
  GAUSSCSE_CHECK(embeddings.dim() == 3 && embeddings.size(0) == roles(), "embeddings are [", roles(),
                 ", batch, width]");
  GAUSSCSE_CHECK(gradient.sizes() == embeddings.sizes(), "the gradient has the embeddings' shape");
  gradient.zero_();
  const at::Tensor of_term = at::empty(embeddings.sizes(), embeddings.options());
  double loss = 0;
  for (const auto& term : terms_) {
    const at::Tensor part = of_term.narrow(0, 0, term->roles());
    loss += term->evaluate(embeddings.narrow(0, 0, term->roles()), own, part);
    gradient.narrow(0, 0, term->roles()).add_(part);
  }
  return loss;
}

}  // namespace gausscse
