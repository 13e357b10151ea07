#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <cublasLt.h>

#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"

namespace {

using at::Tensor;
using gausscse::gpu;

/// A matmul of two columns by two rows: D [3, 4] = A [3, 2] B [2, 4], along columns; each test makes one mistake.
class CublasLtOnCpu : public testing::Test {
 protected:
  CublasLtOnCpu() {
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, 3, 2, 3);
    cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, 2, 4, 2);
    cublasLtMatrixLayoutCreate(&of_d, CUDA_R_32F, 3, 4, 3);
    cublasLtMatmulPreferenceCreate(&preference);
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{512});
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  }
  ~CublasLtOnCpu() override {
    cublasLtMatmulPreferenceDestroy(preference);
    for (const cublasLtMatrixLayout_t layout : {of_a, of_b, of_d}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(operation);
    cublasLtDestroy(handle);
  }

  template <typename Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
    cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
  }
  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value);
  }
  int ask() {
    int count = 0;
    cublasLtMatmulAlgoGetHeuristic(handle, operation, of_a, of_b, of_d, of_d, preference, 1, &result, &count);
    return count;
  }
  cublasStatus_t multiply(float beta = 0) {
    const float alpha = 2;
    void* to = d.mutable_data_ptr();
    return cublasLtMatmul(handle, operation, &alpha, a.const_data_ptr(), of_a, b.const_data_ptr(), of_b, &beta, to,
                          of_d, to, of_d, &result.algo, workspace.mutable_data_ptr(), workspace.nbytes(), nullptr);
  }

  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t of_a = nullptr, of_b = nullptr, of_d = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulHeuristicResult_t result{};
  Tensor a = at::ones({6}, gpu), b = at::ones({8}, gpu), d = at::ones({12}, gpu), sums = at::empty({4}, gpu);
  Tensor workspace = at::empty({64}, gpu);
};

TEST_F(CublasLtOnCpu, Multiplies) {
  ASSERT_EQ(ask(), 1);
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(d.eq(4).all().item<bool>());
  EXPECT_EQ(multiply(3), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(d.eq(4 + 3 * 4).all().item<bool>());
  EXPECT_TRUE(workspace.narrow(0, 0, 24).isnan().all().item<bool>());
}

TEST_F(CublasLtOnCpu, SumsColumnsOfTheSecondFactor) {
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_BGRADB});
  EXPECT_THROW(ask(), std::logic_error) << "it has no vector";
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, sums.mutable_data_ptr());
  ASSERT_EQ(ask(), 1);
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(sums.eq(2).all().item<bool>());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_BGRADA});
  EXPECT_EQ(ask(), 0);
  EXPECT_THROW(multiply(), std::logic_error) << "its algorithm is that of another epilogue";
}

TEST_F(CublasLtOnCpu, RefusesAlgorithmsOfOthers) {
  EXPECT_THROW(multiply(), std::logic_error) << "it was not asked";
  ask();
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_T});
  EXPECT_THROW(multiply(), std::logic_error) << "sizes do not fit";
  cublasLtMatrixLayoutDestroy(of_a);
  cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, 2, 3, 2);
  EXPECT_THROW(multiply(), std::logic_error) << "it is transposed";
  ask();
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
}

TEST_F(CublasLtOnCpu, RefusesLargerSizesThanWereAskedFor) {
  ask();
  cublasLtMatrixLayoutDestroy(of_b);
  cublasLtMatrixLayoutDestroy(of_d);
  cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, 2, 5, 2);
  cublasLtMatrixLayoutCreate(&of_d, CUDA_R_32F, 3, 5, 3);
  b = at::ones({10}, gpu), d = at::ones({15}, gpu);
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLtOnCpu, RefusesMemoryThatDoesNotFit) {
  ask();
  const Tensor whole = at::ones({64}, gpu);
  const auto expect_refused = [&](Tensor& which, const Tensor& memory) {
    const Tensor before = which;
    which = memory;
    EXPECT_THROW(multiply(), std::logic_error);
    which = before;
  };
  expect_refused(a, whole.narrow(0, 1, 6));
  expect_refused(b, whole.narrow(0, 1, 8));
  expect_refused(d, whole.narrow(0, 1, 12));
  expect_refused(a, at::ones({5}, gpu));
  expect_refused(d, at::ones({11}, gpu));
  expect_refused(a, d);
  expect_refused(b, d);
  expect_refused(workspace, d);
  expect_refused(workspace, at::empty({23}, gpu));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
}

TEST_F(CublasLtOnCpu, RefusesTypesAndLayoutsThatDoNotFit) {
  cublasLtMatrixLayout_t layout = nullptr;
  EXPECT_THROW(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 3, 2, 2), std::logic_error);
  cublasLtMatrixLayoutDestroy(of_a);
  cublasLtMatrixLayoutCreate(&of_a, CUDA_R_16BF, 3, 2, 3);
  EXPECT_THROW(ask(), std::logic_error);
}

TEST_F(CublasLtOnCpu, RefusesObjectsThatHaveEnded) {
  ask();
  cublasLtMatmulDesc_t ended = operation;
  cublasLtMatmulDescDestroy(operation);
  EXPECT_THROW(multiply(), std::logic_error);
  EXPECT_THROW(cublasLtMatmulDescDestroy(ended), std::logic_error);
  cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const std::int64_t wide = 0;
  EXPECT_THROW(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &wide, sizeof wide),
               std::logic_error);
}

}  // namespace
