#include "base/error.hpp"
#include "model/matmul/cpu/matmuls.hpp"
#include "model/matmul/cuda/matmuls.hpp"
#include "model/matmul/matmuls.hpp"

namespace gausscse {

std::unique_ptr<Matmuls> make_matmuls(const at::Tensor& parameters, Precision precision, bool fixed_tiles) {
  if (parameters.is_cuda()) {
    GAUSSCSE_CHECK(!fixed_tiles, "products of fixed tiles are for CPUs");
    if (precision == Precision::int8)
      throw InputError("precision int8 is for CPUs: give --device cpu, or --precision bf16 on a GPU");
    return std::make_unique<CudaMatmuls>(parameters, precision);
  }
  return std::make_unique<CpuMatmuls>(parameters, precision, CpuMatmuls::Bfloat16Way::fastest, fixed_tiles);
}

}  // namespace gausscse
