#include <stdexcept>

#include "model/matmul/cuda/cublaslt.hpp"

// In place of cublaslt.cpp, in builds without CUDA.
namespace gausscse {

class CublasLt::Library {};

CublasLt::CublasLt() {
  throw std::logic_error("this build has no CUDA, but matmuls of a GPU are asked for");
}

CublasLt::~CublasLt() = default;

bool CublasLt::multiply(const at::Tensor&, const at::Tensor&, at::Tensor, const Options&) {
  return false;
}

}  // namespace gausscse
