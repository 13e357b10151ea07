#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "tests/support/cublaslt_on_cpu/objects.hpp"
#include "tests/support/pretended_gpu/memory.hpp"

namespace cublaslt_on_cpu {

namespace {

std::int64_t bytes_of_element(cudaDataType type) {
  return type == CUDA_R_32F ? 4 : 2;
}

/// Memory of a matrix.
struct Extent {
  Extent(const void* data, const cublasLtMatrixLayoutOpaque_t& layout)
      : begin(static_cast<const char*>(data)),
        end(begin + ((layout.columns - 1) * layout.leading + layout.rows) * bytes_of_element(layout.type)) {}
  Extent(const void* data, std::size_t bytes) : begin(static_cast<const char*>(data)), end(begin + bytes) {}

  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
  void check(std::uint64_t alignment) const {
    GAUSSCSE_CHECK(gausscse::pretended_gpu::is_allocated(begin, static_cast<std::size_t>(end - begin)),
                   "a matrix or vector is not in one tensor of the GPU");
    GAUSSCSE_CHECK(reinterpret_cast<std::uintptr_t>(begin) % alignment == 0, "it is not aligned as was promised");
  }

  const char *begin, *end;
};

/// A matmul whose parts fit together.
struct Matmul {
  Matmul(const cublasLtMatmulDescOpaque_t& operation, const cublasLtMatrixLayoutOpaque_t& a,
         const cublasLtMatrixLayoutOpaque_t& b, const cublasLtMatrixLayoutOpaque_t& c,
         const cublasLtMatrixLayoutOpaque_t& d)
      : m(operation.operation_of_a == CUBLAS_OP_N ? a.rows : a.columns),
        n(operation.operation_of_b == CUBLAS_OP_N ? b.columns : b.rows),
        k(operation.operation_of_a == CUBLAS_OP_N ? a.columns : a.rows),
        types(static_cast<std::uint64_t>(a.type * 100 + d.type)),
        form(static_cast<std::uint64_t>(operation.operation_of_a * 2 + operation.operation_of_b) * 1024 +
             operation.epilogue) {
    GAUSSCSE_CHECK(k == (operation.operation_of_b == CUBLAS_OP_N ? b.rows : b.columns) && d.rows == m &&
                       d.columns == n && c.rows == m && c.columns == n,
                   "sizes of matrices do not fit");
    GAUSSCSE_CHECK(a.type == b.type && c.type == d.type && (d.type == CUDA_R_32F || d.type == a.type),
                   "the library does not know a matmul of these types");
    GAUSSCSE_CHECK((operation.epilogue == CUBLASLT_EPILOGUE_DEFAULT) == (operation.bias == nullptr),
                   "an epilogue has no vector, or a vector no epilogue");
  }

  std::int64_t m, n, k;
  std::uint64_t types, form;
};

/// Contents of a cublasLtMatmulAlgo_t.
struct Algorithm {
  std::uint64_t types, form;
  std::int64_t m, n, k;
  std::uint64_t workspace;
  std::uint16_t alignments[4];
  std::uint64_t is_made;
};
static_assert(sizeof(Algorithm) == sizeof(cublasLtMatmulAlgo_t));
constexpr std::uint64_t mark = 0x616c676f726974;

at::Tensor values(const void* data, const cublasLtMatrixLayoutOpaque_t& layout) {
  return at::from_blob(const_cast<void*>(data), {layout.rows, layout.columns}, {1, layout.leading},
                       at::TensorOptions().dtype(layout.type == CUDA_R_32F ? at::kFloat : at::kBFloat16));
}

at::Tensor factor(const void* data, const cublasLtMatrixLayoutOpaque_t& layout, std::int32_t operation) {
  const at::Tensor matrix = values(data, layout).to(at::kFloat);
  return operation == CUBLAS_OP_N ? matrix : matrix.t();
}

}  // namespace

Behaviour& behaviour() {
  static Behaviour all;
  return all;
}

Counts& counts() {
  static Counts all;
  return all;
}

}  // namespace cublaslt_on_cpu

using namespace cublaslt_on_cpu;

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  check_live({handle, operation, a, b, c, d, preference});
  GAUSSCSE_CHECK(most == 1, "one algorithm is enough");
  ++counts().questions;
  const Matmul matmul(*operation, *a, *b, *c, *d);
  GAUSSCSE_CHECK(preference->reductions == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, "parts of sums are float32");
  *count = 0;
  const Behaviour& library = behaviour();
  const bool has_one = operation->epilogue == CUBLASLT_EPILOGUE_DEFAULT ? library.multiplies : library.sums_columns;
  if (operation->epilogue == CUBLASLT_EPILOGUE_BGRADA || preference->workspace < library.workspace)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  // The library reports this in one way or the other.
  if (!has_one) return counts().questions % 2 == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
  Algorithm algorithm{matmul.types, matmul.form, matmul.m, matmul.n, matmul.k, library.workspace, {}, mark};
  std::copy(preference->alignments, preference->alignments + 4, algorithm.alignments);
  results[0] = {};
  std::memcpy(&results[0].algo, &algorithm, sizeof algorithm);
  results[0].workspaceSize = library.workspace;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* A,
                              cublasLtMatrixLayout_t a, const void* B, cublasLtMatrixLayout_t b, const void* beta,
                              const void* C, cublasLtMatrixLayout_t c, void* D, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t* algo, void* workspace, std::size_t bytes, cudaStream_t) {
  check_live({handle, operation, a, b, c, d});
  const Matmul matmul(*operation, *a, *b, *c, *d);
  Algorithm algorithm;
  std::memcpy(&algorithm, algo, sizeof algorithm);
  GAUSSCSE_CHECK(algorithm.is_made == mark && algorithm.types == matmul.types && algorithm.form == matmul.form,
                 "an algorithm is that of another matmul");
  if (algorithm.m < matmul.m || algorithm.n < matmul.n || algorithm.k < matmul.k) return CUBLAS_STATUS_INVALID_VALUE;
  if (behaviour().takes_only_asked_sizes &&
      (algorithm.m != matmul.m || algorithm.n != matmul.n || algorithm.k != matmul.k))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (behaviour().failure != 0) return static_cast<cublasStatus_t>(behaviour().failure);
  const gausscse::pretended_gpu::Access access;
  const Extent result(D, *d);
  result.check(algorithm.alignments[3]);
  const auto check_apart = [&](const Extent& other, std::uint64_t alignment) {
    other.check(alignment);
    GAUSSCSE_CHECK(!other.overlaps(result), "a result overlaps what it is computed from");
  };
  check_apart({A, *a}, algorithm.alignments[0]);
  check_apart({B, *b}, algorithm.alignments[1]);
  GAUSSCSE_CHECK(C == D && c->leading == d->leading, "the library adds in place where the layouts are the same");
  GAUSSCSE_CHECK(bytes >= algorithm.workspace, "an algorithm has less memory than it takes");
  if (bytes > 0) {
    check_apart({workspace, bytes}, 256);
    std::memset(workspace, 0xFF, bytes);
  }

  const float by = *static_cast<const float*>(alpha), of_c = *static_cast<const float*>(beta);
  const at::Tensor left = factor(A, *a, operation->operation_of_a), right = factor(B, *b, operation->operation_of_b);
  at::Tensor product = at::mm(left, right).mul_(by);
  if (of_c != 0) product.add_(values(C, *c), of_c);
  values(D, *d).copy_(product);
  ++counts().matmuls;
  if (operation->epilogue == CUBLASLT_EPILOGUE_BGRADB) {
    check_apart({operation->bias, static_cast<std::size_t>(matmul.n * bytes_of_element(d->type))}, 4);
    values(operation->bias, {d->type, 1, matmul.n, 1}).copy_(right.sum(0, true));
    ++counts().with_sums;
  }
  return CUBLAS_STATUS_SUCCESS;
}
