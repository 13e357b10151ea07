#include "model/ops/reused_matrix.hpp"

#include <ATen/ops/empty.h>

namespace gausscse {

at::Tensor ReusedMatrix::get(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options) {
  const std::int64_t needed = rows * columns;
  if (!memory_.defined() || memory_.dtype() != options.dtype() || memory_.device() != options.device() ||
      memory_.numel() < needed) {
    memory_ = at::Tensor();
    // A tenth more, so that batches of slightly growing length do not allocate each time.
    memory_ = at::empty({needed + needed / 10}, options);
  }
  return memory_.narrow(0, 0, needed).view({rows, columns});
}

std::int64_t bytes_of(std::initializer_list<const ReusedMatrix*> matrices) {
  std::int64_t bytes = 0;
  for (const ReusedMatrix* matrix : matrices) bytes += matrix->bytes();
  return bytes;
}

}  // namespace gausscse
