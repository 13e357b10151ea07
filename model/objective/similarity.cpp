#include "model/objective/similarity.hpp"

#include <ATen/ops/empty.h>

#include "base/error.hpp"
#include "model/kernels/similarities/list.hpp"
#include "model/ops/device_kernels.hpp"

namespace gausscse {

double row_similarity(const float* p, const float* q, std::int64_t width, Similarity similarity) {
  if (!is_gaussian(similarity)) return cosine(p, q, width);
  const std::int64_t dimension = width / 2;
  return kernels::with_similarity<kernels::HostMath>(similarity, [&](auto of) {
    using S = decltype(of);
    double sum = 0;
    for (std::int64_t d = 0; d < dimension; ++d)
      sum += S::exact_summand(static_cast<double>(p[d]), static_cast<double>(p[dimension + d]),
                              static_cast<double>(q[d]), static_cast<double>(q[dimension + d]));
    return S::exact_similarity(sum, static_cast<double>(dimension));
  });
}

at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, Similarity similarity) {
  GAUSSCSE_CHECK(p.dim() == 2 && p.sizes() == q.sizes(), "pairs of rows");
  GAUSSCSE_CHECK(!is_gaussian(similarity) || p.size(1) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  const std::int64_t pairs = p.size(0), width = p.size(1);
  at::Tensor result = at::empty({pairs}, p.options().dtype(at::kFloat));
  ops::with_scalar_type(p, [&]<typename T>(T) {
    auto* values = result.mutable_data_ptr<float>();
    const T *const p_rows = ops::data<const T>(p), *const q_rows = ops::data<const T>(q);
    if (!is_gaussian(similarity)) {
      GAUSSCSE_CHECK(p.is_cpu(), "cosines of pairs are computed on the CPU");
      for (std::int64_t i = 0; i < pairs; ++i)
        values[i] = static_cast<float>(cosine(p_rows + i * width, q_rows + i * width, width));
    } else {
      ops::kernels_for<T>(p).similarity(ops::context_of(p), p_rows, q_rows, pairs, width / 2, similarity, values);
    }
  });
  return result;
}

}  // namespace gausscse
