#include "model/encoder/workspace.hpp"

#include <ATen/ops/empty.h>

namespace gausscse {

at::Tensor ReusedMatrix::get(std::int64_t rows, std::int64_t columns, at::ScalarType type) {
  const std::int64_t needed = rows * columns;
  if (!memory_.defined() || memory_.scalar_type() != type || memory_.numel() < needed) {
    memory_ = at::Tensor();
    // A tenth more, so that batches of slightly growing length do not allocate each time.
    memory_ = at::empty({needed + needed / 10}, type);
  }
  return memory_.narrow(0, 0, needed).view({rows, columns});
}

}  // namespace gausscse
