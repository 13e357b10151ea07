#include "dist/collective_tensors.hpp"

#include "base/error.hpp"

namespace gausscse {

at::ScalarType type_of_collective(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors) {
  const at::ScalarType type = tensors.begin()->get().scalar_type();
  GAUSSCSE_CHECK(type == at::kFloat || type == at::kDouble, "collectives take float32 or float64, not ", type);
  for (const at::Tensor& tensor : tensors) {
    GAUSSCSE_CHECK(tensor.is_contiguous(), "collectives take contiguous tensors");
    GAUSSCSE_CHECK(tensor.scalar_type() == type, "one collective has one type, not ", type, " and ",
                   tensor.scalar_type());
  }
  return type;
}

}  // namespace gausscse
