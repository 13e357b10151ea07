#include "inference/export/features.hpp"

#include <ATen/ops/empty.h>

#include <cmath>

#include "base/error.hpp"

namespace gausscse {

at::Tensor joint_features(const at::Tensor& rows, FeatureSide side, SearchDirection direction,
                          std::uint64_t first_row) {
  GAUSSCSE_CHECK(rows.is_contiguous() && rows.scalar_type() == at::kFloat && direction != SearchDirection::both,
                 "features are of contiguous float32 rows, for one direction");
  const std::int64_t dimension = rows.size(1) / 2, width = 2 * dimension + 1;
  // A query asks for rows that entail it by KL(query || row), a row is entailed by a query by KL(row || query).
  const bool is_query = side == FeatureSide::query;
  const bool is_first = is_query == (direction == SearchDirection::entails);
  const double sign = is_query ? -1 : 1;
  at::Tensor features = at::empty({rows.size(0), width}, rows.options());
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    const float* mean = rows.const_data_ptr<float>() + row * 2 * dimension;
    const float* log_var = mean + dimension;
    float* out = features.mutable_data_ptr<float>() + row * width;
    double sum = 0;
    for (std::int64_t d = 0; d < dimension; ++d) {
      const double m = static_cast<double>(mean[d]), v = static_cast<double>(log_var[d]);
      const double inverse = std::exp(-v);
      out[d] = static_cast<float>(sign * (is_first ? std::exp(v) + m * m : inverse));
      out[dimension + d] = static_cast<float>(sign * (is_first ? m : -2 * m * inverse));
      sum += is_first ? -v : m * m * inverse + v;
    }
    out[2 * dimension] = static_cast<float>(sign * (is_query ? 1 : sum));
    for (std::int64_t i = 0; i < width; ++i)
      if (!std::isfinite(out[i]))
        throw InputError(concat("row ", first_row + static_cast<std::uint64_t>(row) + 1,
                                ": a mean or log-variance is not finite, or too large for features in float32"));
  }
  return features;
}

}  // namespace gausscse
