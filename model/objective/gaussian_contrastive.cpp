#include "model/objective/gaussian_contrastive.hpp"

#include <ATen/ops/empty_like.h>

#include <stdexcept>

#include "base/error.hpp"
#include "model/objective/kernel_similarity.hpp"
#include "model/ops/scalar_type.hpp"

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

}  // namespace

GaussianContrastive::GaussianContrastive(Loss loss, Similarity similarity, double temperature)
    : terms_(terms_of(loss)), similarity_(kernel_similarity(similarity)), temperature_(temperature) {}

double GaussianContrastive::evaluate(const at::Tensor& embeddings, AnchorRange own, at::Tensor gradient) const {
  GAUSSCSE_CHECK(embeddings.dim() == 3 && embeddings.size(0) == roles() && embeddings.size(2) % 2 == 0,
                 "embeddings are [", roles(), ", batch, mean | log_var]");
  GAUSSCSE_CHECK(gradient.sizes() == embeddings.sizes(), "the gradient has the embeddings' shape");
  const std::int64_t batch = embeddings.size(1);
  GAUSSCSE_CHECK(0 <= own.begin && own.begin <= own.end && own.end <= batch, "anchors lie in the batch");
  return ops::with_scalar_type(embeddings, [&]<typename T>(T) {
    const std::int64_t role = batch * embeddings.size(2);
    const T* rows = ops::const_data<T>(embeddings);
    T* gradient_rows = ops::data<T>(gradient);
    const bool third = roles() == 3;
    T* const gradients[3] = {gradient_rows, gradient_rows + role, third ? gradient_rows + 2 * role : nullptr};
    return kernels::kernel_table<T>().contrastive_loss({.rows = {rows, rows + role, third ? rows + 2 * role : nullptr},
                                                        .batch = batch,
                                                        .dimension = embeddings.size(2) / 2,
                                                        .anchor_begin = own.begin,
                                                        .anchor_end = own.end,
                                                        .temperature = temperature_,
                                                        .similarity = similarity_,
                                                        .terms = terms_},
                                                       gradients);
  });
}

}  // namespace gausscse
