#include "model/objective/gaussian_contrastive.hpp"

#include "base/error.hpp"
#include "model/ops/scalar_type.hpp"

namespace gausscse {

namespace {

kernels::ContrastiveTerms terms_of(const std::string& loss) {
  if (loss == "ent") return {.contradiction = false, .reversed = false};
  if (loss == "ent+con") return {.contradiction = true, .reversed = false};
  if (loss == "ent+rev") return {.contradiction = false, .reversed = true};
  if (loss == "ent+con+rev") return {.contradiction = true, .reversed = true};
  throw std::logic_error(concat("no loss is called ", loss));
}

}  // namespace

GaussianContrastive::GaussianContrastive(const std::string& loss, SimilarityKind similarity, double temperature)
    : terms_(terms_of(loss)), similarity_(similarity), temperature_(temperature) {}

double GaussianContrastive::evaluate(const at::Tensor& embeddings, AnchorRange own, at::Tensor gradient) const {
  GAUSSCSE_CHECK(embeddings.dim() == 3 && embeddings.size(0) == 3 && embeddings.size(2) % 2 == 0,
                 "embeddings are [3, batch, mean | log_var]");
  GAUSSCSE_CHECK(gradient.sizes() == embeddings.sizes(), "the gradient has the embeddings' shape");
  const std::int64_t batch = embeddings.size(1);
  GAUSSCSE_CHECK(0 <= own.begin && own.begin <= own.end && own.end <= batch, "anchors lie in the batch");
  return ops::with_scalar_type(embeddings, [&]<typename T>(T) {
    const std::int64_t role = batch * embeddings.size(2);
    const T* rows = ops::const_data<T>(embeddings);
    T* gradient_rows = ops::data<T>(gradient);
    T* const gradients[3] = {gradient_rows, gradient_rows + role, gradient_rows + 2 * role};
    return kernels::kernel_table<T>().contrastive_loss({.rows = {rows, rows + role, rows + 2 * role},
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
