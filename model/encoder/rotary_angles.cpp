#include "model/encoder/rotary_angles.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

namespace gausscse {

at::Tensor RotaryAngles::get(std::int64_t positions, double base, std::int64_t head_size,
                             const at::TensorOptions& options) {
  if (angles_.defined() && angles_.size(0) >= positions) return angles_;
  const std::int64_t rows = std::max<std::int64_t>(2 * positions, 64), half = head_size / 2;
  at::Tensor angles = at::empty({rows, head_size}, at::kDouble);
  double* row = angles.mutable_data_ptr<double>();
  for (std::int64_t position = 0; position < rows; ++position, row += head_size)
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(base, -static_cast<double>(i) / static_cast<double>(half));
      row[i] = std::cos(angle);
      row[half + i] = std::sin(angle);
    }
  angles_ = angles.to(options);
  return angles_;
}

}  // namespace gausscse
