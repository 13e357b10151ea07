#include "base/error.hpp"
#include "model/products/cpu/matrix_products.hpp"
#include "model/products/cuda/matrix_products.hpp"
#include "model/products/matrix_products.hpp"

namespace gausscse {

std::unique_ptr<MatrixProducts> make_matrix_products(const at::Tensor& parameters, Precision precision,
                                                     bool fixed_tiles) {
  if (parameters.is_cuda()) {
    GAUSSCSE_CHECK(!fixed_tiles, "products of fixed tiles are for CPUs");
    if (precision == Precision::int8)
      throw InputError("precision int8 is for CPUs: give --device cpu, or --precision bf16 on a GPU");
    return std::make_unique<CudaMatrixProducts>(parameters, precision);
  }
  return std::make_unique<CpuMatrixProducts>(parameters, precision, CpuMatrixProducts::Bfloat16Way::fastest,
                                             fixed_tiles);
}

}  // namespace gausscse
