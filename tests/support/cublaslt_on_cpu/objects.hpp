#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <initializer_list>

struct cublasLtContext {};
struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  std::int64_t rows, columns, leading;
};
struct cublasLtMatmulDescOpaque_t {
  std::int32_t operation_of_a = CUBLAS_OP_N, operation_of_b = CUBLAS_OP_N;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
};
struct cublasLtMatmulPreferenceOpaque_t {
  std::uint64_t workspace = 0;
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
};

namespace cublaslt_on_cpu {

/// Throws std::logic_error if one of these objects has not been made or has been destroyed.
void check_live(std::initializer_list<const void*> objects);

}  // namespace cublaslt_on_cpu
