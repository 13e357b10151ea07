#include "model/objective/similarity.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "base/error.hpp"
#include "model/device/device_kernels.hpp"
#include "model/similarities/evaluation_forms.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

double row_similarity(const float* p, const float* q, std::int64_t width, Similarity similarity) {
  if (!is_gaussian(similarity)) return cosine(p, q, width);
  const std::int64_t dimension = width / 2;
  return kernels::with_similarity<kernels::HostMath>(similarity, [&](auto of) {
    using S = decltype(of);
    double sum = 0;
    for (std::int64_t d = 0; d < dimension; ++d)
      sum +=
          kernels::exact_term<S, kernels::HostMath>(static_cast<double>(p[d]), static_cast<double>(p[dimension + d]),
                                                    static_cast<double>(q[d]), static_cast<double>(q[dimension + d]));
    return S::similarity(sum, static_cast<double>(dimension));
  });
}

at::Tensor pairwise_cosine(const at::Tensor& p, const at::Tensor& q) {
  GAUSSCSE_CHECK(p.dim() == 2 && p.sizes() == q.sizes(), "pairs of rows");
  if (!p.is_cpu()) {
    const at::Tensor a = p.to(at::kDouble), b = q.to(at::kDouble);
    const at::Tensor lengths = (a * a).sum(1).sqrt() * (b * b).sum(1).sqrt();
    const at::Tensor has_direction = lengths.isfinite().logical_and(lengths.ne(0));
    return ((a * b).sum(1) / lengths)
        .masked_fill(lengths.eq(0), 0)
        .masked_fill(p.eq(q).all(1).logical_and(has_direction), 1)
        .masked_fill(p.eq(-q).all(1).logical_and(has_direction), -1);
  }
  at::Tensor cosines = at::empty({p.size(0)}, at::kDouble);
  ops::with_scalar_type(p, [&]<typename T>(T) {
    for (std::int64_t i = 0; i < p.size(0); ++i)
      cosines.mutable_data_ptr<double>()[i] =
          cosine(ops::data<const T>(p) + i * p.size(1), ops::data<const T>(q) + i * p.size(1), p.size(1));
  });
  return cosines;
}

at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, Similarity similarity) {
  GAUSSCSE_CHECK(p.dim() == 2 && p.sizes() == q.sizes(), "pairs of rows");
  if (!is_gaussian(similarity)) return pairwise_cosine(p, q).to(at::kFloat);
  const std::int64_t pairs = p.size(0), width = p.size(1);
  GAUSSCSE_CHECK(width % 2 == 0, "rows of Gaussians are [mean | log_var]");
  at::Tensor result = at::empty({pairs}, p.options().dtype(at::kFloat));
  ops::with_scalar_type(p, [&]<typename T>(T) {
    ops::kernels_for<T>(p).similarity(ops::context_of(p), ops::data<const T>(p), ops::data<const T>(q), pairs,
                                      width / 2, similarity, result.mutable_data_ptr<float>());
  });
  return result;
}

}  // namespace gausscse
