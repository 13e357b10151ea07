#include "model/objective/similarity.hpp"

#include <ATen/ops/empty.h>

#include <vector>

#include "base/error.hpp"
#include "model/objective/cosine.hpp"
#include "model/objective/kernel_similarity.hpp"
#include "model/ops/kernel_context.hpp"
#include "model/ops/scalar_type.hpp"

namespace gausscse {

at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, Similarity similarity) {
  GAUSSCSE_CHECK(p.dim() == 2 && p.sizes() == q.sizes(), "pairs of rows");
  GAUSSCSE_CHECK(similarity == Similarity::cosine || p.size(1) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  const std::int64_t pairs = p.size(0), width = p.size(1);
  at::Tensor result = at::empty({pairs}, at::kFloat);
  ops::with_scalar_type(p, [&]<typename T>(T) {
    auto* values = result.mutable_data_ptr<float>();
    std::vector<const T*> p_rows, q_rows;
    for (std::int64_t i = 0; i < pairs; ++i) {
      p_rows.push_back(ops::const_data<T>(p) + i * width);
      q_rows.push_back(ops::const_data<T>(q) + i * width);
    }
    if (similarity == Similarity::cosine) {
      for (std::size_t i = 0; i < p_rows.size(); ++i)
        values[i] = static_cast<float>(cosine(p_rows[i], q_rows[i], width));
    } else {
      kernels::kernel_table<T>().similarity(ops::context_of(p), p_rows.data(), q_rows.data(), pairs, width / 2,
                                            kernel_similarity(similarity), values);
    }
  });
  return result;
}

}  // namespace gausscse
