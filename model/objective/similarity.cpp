#include "model/objective/similarity.hpp"

#include <ATen/ops/empty.h>

#include <vector>

#include "base/error.hpp"
#include "model/ops/scalar_type.hpp"

namespace gausscse {

at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, SimilarityKind kind) {
  GAUSSCSE_CHECK(p.dim() == 2 && p.sizes() == q.sizes() && p.size(1) % 2 == 0, "pairs of rows [mean | log_var]");
  const std::int64_t pairs = p.size(0);
  at::Tensor result = at::empty({pairs}, at::kFloat);
  ops::with_scalar_type(p, [&]<typename T>(T) {
    std::vector<const T*> p_rows, q_rows;
    for (std::int64_t i = 0; i < pairs; ++i) {
      p_rows.push_back(ops::const_data<T>(p) + i * p.size(1));
      q_rows.push_back(ops::const_data<T>(q) + i * q.size(1));
    }
    kernels::kernel_table<T>().similarity(p_rows.data(), q_rows.data(), pairs, p.size(1) / 2, kind,
                                          result.mutable_data_ptr<float>());
  });
  return result;
}

}  // namespace gausscse
