#include "tests/support/cublaslt_on_cpu/objects.hpp"

#include <cstring>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"

namespace cublaslt_on_cpu {

namespace {

std::mutex mutex;
std::set<const void*> live;

template <typename Object>
Object* make(Object object) {
  const std::lock_guard lock(mutex);
  auto* made = new Object(object);
  live.insert(made);
  return made;
}

template <typename Object>
cublasStatus_t destroy(Object* object) {
  const std::lock_guard lock(mutex);
  GAUSSCSE_CHECK(live.erase(object) == 1, "an object of cuBLASLt is destroyed that is not there");
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Value>
void put(Value& to, const void* value, std::size_t bytes) {
  GAUSSCSE_CHECK(value && bytes == sizeof to, "an attribute of cuBLASLt has another size");
  std::memcpy(&to, value, sizeof to);
}

}  // namespace

void check_live(std::initializer_list<const void*> objects) {
  const std::lock_guard lock(mutex);
  for (const void* object : objects)
    GAUSSCSE_CHECK(live.contains(object), "an object of cuBLASLt is used that is not there");
}

std::size_t live_objects() {
  const std::lock_guard lock(mutex);
  return live.size();
}

}  // namespace cublaslt_on_cpu

using namespace cublaslt_on_cpu;

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = make(cublasLtContext{});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return destroy(handle);
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED" : "another status";
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t leading) {
  GAUSSCSE_CHECK(rows > 0 && columns > 0 && leading >= static_cast<std::int64_t>(rows), "columns overlap");
  *layout = make(
      cublasLtMatrixLayoutOpaque_t{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  GAUSSCSE_CHECK(compute == CUBLAS_COMPUTE_32F && scale == CUDA_R_32F, "sums are float32");
  *operation = make(cublasLtMatmulDescOpaque_t{});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  return destroy(operation);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  check_live({operation});
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      put(operation->operation_of_a, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_TRANSB:
      put(operation->operation_of_b, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      put(operation->epilogue, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      put(operation->bias, value, bytes);
      break;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = make(cublasLtMatmulPreferenceOpaque_t{});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    std::size_t bytes) {
  check_live({preference});
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    put(preference->workspace, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
    put(preference->reductions, value, bytes);
  else
    put(preference->alignments[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
