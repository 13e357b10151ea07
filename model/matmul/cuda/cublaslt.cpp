#include "model/matmul/cuda/cublaslt.hpp"

#include <ATen/ops/zero.h>
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "model/device/device_kernels.hpp"

namespace gausscse {

namespace {

/// Most memory that an algorithm may take besides its matrices: NVIDIA's advice for its GPUs from Hopper on.
constexpr std::uint64_t most_workspace = std::uint64_t{32} << 20;

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // ops::is_memory_refused knows these words.
  const char* const refused = status == CUBLAS_STATUS_ALLOC_FAILED ? "out of memory: " : "";
  throw SystemError(
      concat("the GPU cannot multiply: ", refused, call, " of cuBLASLt failed: ", cublasLtGetStatusString(status)));
}

/// Owns an object of the library.
template <typename Object, cublasStatus_t (*destroy)(Object*)>
struct Destroy {
  void operator()(Object* object) const { destroy(object); }
};
template <typename Object, cublasStatus_t (*destroy)(Object*)>
using Owned = std::unique_ptr<Object, Destroy<Object, destroy>>;
using Layout = Owned<cublasLtMatrixLayoutOpaque_t, cublasLtMatrixLayoutDestroy>;
using Operation = Owned<cublasLtMatmulDescOpaque_t, cublasLtMatmulDescDestroy>;
using Preference = Owned<cublasLtMatmulPreferenceOpaque_t, cublasLtMatmulPreferenceDestroy>;

/// Makes an object by the library's function of this name.
template <typename Object, typename... Arguments>
Object make(const char* name, cublasStatus_t (*create)(typename Object::pointer*, Arguments...),
            std::type_identity_t<Arguments>... arguments) {
  typename Object::pointer made = nullptr;
  check(create(&made, arguments...), name);
  return Object(made);
}

cudaDataType_t type_of(const at::Tensor& matrix) {
  GAUSSCSE_CHECK(matrix.scalar_type() == at::kFloat || matrix.scalar_type() == at::kBFloat16,
                 "a GPU multiplies float32 or bfloat16");
  return matrix.scalar_type() == at::kFloat ? CUDA_R_32F : CUDA_R_16BF;
}

/// Returns the largest power of two, up to 256, that divides an address.
std::uint32_t alignment_of(const void* data) {
  constexpr std::uintptr_t most = 256;
  return static_cast<std::uint32_t>(std::uintptr_t{1}
                                    << std::countr_zero(reinterpret_cast<std::uintptr_t>(data) | most));
}

/// Returns `size` with at most four significant bits: the end of a bucket of sizes that differ by less than 1/8.
std::int64_t rounded_up(std::int64_t size) {
  const auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size)) / 8);
  return step < 2 ? size : (size + step - 1) / step * step;
}

/// A matrix as the library sees it, which reads along columns: one with contiguous rows is its own transpose there.
struct Matrix {
  explicit Matrix(const at::Tensor& matrix)
      : data(matrix.const_data_ptr()), type(type_of(matrix)), has_rows(matrix.stride(1) == 1 || matrix.size(1) == 1) {
    const int inner = has_rows ? 1 : 0, outer = 1 - inner;
    GAUSSCSE_CHECK(matrix.stride(inner) == 1 || matrix.size(inner) == 1, "a matrix has gaps in rows and columns");
    contiguous = matrix.size(inner);
    others = matrix.size(outer);
    leading = std::max(contiguous, others == 1 ? 1 : matrix.stride(outer));
  }

  Layout layout(std::int64_t count_of_others) const {
    return make<Layout>("cublasLtMatrixLayoutCreate", cublasLtMatrixLayoutCreate, type,
                        static_cast<std::uint64_t>(contiguous), static_cast<std::uint64_t>(count_of_others), leading);
  }
  cublasOperation_t operation() const { return has_rows ? CUBLAS_OP_N : CUBLAS_OP_T; }

  const void* data;
  cudaDataType_t type;
  bool has_rows;  ///< true if rows are contiguous, false if columns are
  std::int64_t contiguous, others, leading;
};

/// Properties of a matmul that its algorithm follows from.
using Key = std::array<std::int64_t, 11>;

/// One matmul. The library computes out^T = b^T a^T, as its matrices are transposes: its A is b, its B is a.
struct Problem {
  Matrix a, b, out;
  float beta;
  void* sums;  ///< null where there are none

  /// Returns its key; `rows` and `depth` are sizes for which an algorithm has to serve.
  Key key(std::int64_t rows, std::int64_t depth) const {
    const int form = (a.has_rows ? 1 : 0) + (b.has_rows ? 2 : 0) + (beta != 0 ? 4 : 0) + (sums ? 8 : 0);
    return {form,      a.type,    out.type,       alignment_of(a.data) * 512 + alignment_of(b.data),
            rows,      depth,     out.contiguous, alignment_of(out.data) * 512 + alignment_of(sums),
            a.leading, b.leading, out.leading};
  }
  std::int64_t rows() const { return out.others; }
  std::int64_t depth() const { return a.has_rows ? a.contiguous : a.others; }
};

template <typename Value>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check(cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

template <typename Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value),
        "cublasLtMatmulPreferenceSetAttribute");
}

/// Descriptors of a problem with these sizes.
struct Descriptors {
  Descriptors(const Problem& problem, std::int64_t rows, std::int64_t depth)
      : a(problem.a.layout(problem.a.has_rows ? rows : depth)),
        b(problem.b.layout(problem.b.has_rows ? depth : problem.b.others)),
        out(problem.out.layout(rows)),
        operation(
            make<Operation>("cublasLtMatmulDescCreate", cublasLtMatmulDescCreate, CUBLAS_COMPUTE_32F, CUDA_R_32F)) {
    set(operation, CUBLASLT_MATMUL_DESC_TRANSA, static_cast<std::int32_t>(problem.b.operation()));
    set(operation, CUBLASLT_MATMUL_DESC_TRANSB, static_cast<std::int32_t>(problem.a.operation()));
    if (!problem.sums) return;
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_BGRADB});
    set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, problem.sums);
  }

  Layout a, b, out;
  Operation operation;
};

}  // namespace

class CublasLt::Library {
 public:
  Library() { check(cublasLtCreate(&handle_), "cublasLtCreate"); }
  ~Library() { cublasLtDestroy(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool multiply(const Problem& problem, void* out, const kernels::KernelContext& context) {
    // Sizes of a bucket share an algorithm where no matrix is contiguous along them, as a batch's tokens do: its
    // layouts differ only in their number of columns then. One that does not take these sizes is asked for alone.
    const std::int64_t rows = problem.rows(), depth = problem.depth();
    const std::int64_t bucket_rows = problem.a.has_rows ? rounded_up(rows) : rows;
    const std::int64_t bucket_depth = !problem.a.has_rows && problem.b.has_rows ? rounded_up(depth) : depth;
    return multiply(problem, bucket_rows, bucket_depth, out, context) ||
           ((bucket_rows != rows || bucket_depth != depth) && multiply(problem, rows, depth, out, context));
  }

 private:
  struct Algorithm {
    cublasLtMatmulAlgo_t algorithm;
    std::size_t workspace;
  };

  /// Multiplies by the algorithm for these sizes; returns false where there is none, or where it does not multiply.
  bool multiply(const Problem& problem, std::int64_t rows, std::int64_t depth, void* out,
                const kernels::KernelContext& context) {
    const std::optional<Algorithm> found = algorithm(problem, rows, depth);
    if (!found) return false;
    const Descriptors own(problem, problem.rows(), problem.depth());
    const float alpha = 1;
    const cublasStatus_t status =
        cublasLtMatmul(handle_, own.operation.get(), &alpha, problem.b.data, own.b.get(), problem.a.data, own.a.get(),
                       &problem.beta, out, own.out.get(), out, own.out.get(), &found->algorithm,
                       found->workspace > 0 ? context.scratch->get(found->workspace) : nullptr, found->workspace,
                       static_cast<cudaStream_t>(context.stream));
    // An algorithm that was asked for with other sizes may call these wrong; with its own sizes that is an error.
    const bool has_own_sizes = rows == problem.rows() && depth == problem.depth();
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_INVALID_VALUE && !has_own_sizes))
      return false;
    check(status, "cublasLtMatmul");
    return true;
  }

  std::optional<Algorithm> algorithm(const Problem& problem, std::int64_t rows, std::int64_t depth) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = algorithms_.try_emplace(problem.key(rows, depth));
    if (is_new) place->second = ask(problem, rows, depth);
    return place->second;
  }

  std::optional<Algorithm> ask(const Problem& problem, std::int64_t rows, std::int64_t depth) {
    const auto preference = make<Preference>("cublasLtMatmulPreferenceCreate", cublasLtMatmulPreferenceCreate);
    set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most_workspace);
    // Parts of a sum are added in float32 also where the result is bfloat16, and in an order that does not vary.
    set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(problem.b.data));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(problem.a.data));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(problem.out.data));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(problem.out.data));
    const Descriptors of(problem, rows, depth);
    cublasLtMatmulHeuristicResult_t result{};
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle_, of.operation.get(), of.b.get(), of.a.get(), of.out.get(), of.out.get(),
                                       preference.get(), 1, &result, &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    if (count == 0 || result.state != CUBLAS_STATUS_SUCCESS) return {};
    return Algorithm{result.algo, result.workspaceSize};
  }

  cublasLtHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::map<Key, std::optional<Algorithm>> algorithms_;  ///< none where the library has none
};

CublasLt::CublasLt() : library_(std::make_unique<Library>()) {}

CublasLt::~CublasLt() = default;

bool CublasLt::multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out, const Options& options) {
  const at::Tensor& sums = options.row_sums;
  GAUSSCSE_CHECK(a.size(1) == b.size(0) && out.size(0) == a.size(0) && out.size(1) == b.size(1) &&
                     a.scalar_type() == b.scalar_type() &&
                     (out.scalar_type() == at::kFloat || out.scalar_type() == a.scalar_type()),
                 "factors and product do not fit");
  GAUSSCSE_CHECK(!sums.defined() || (sums.is_contiguous() && sums.numel() == a.size(0) &&
                                     sums.scalar_type() == at::kFloat && out.scalar_type() == at::kFloat),
                 "sums of rows do not fit");
  if (out.numel() == 0 || a.size(1) == 0) {
    if (!options.accumulate) out.zero_();
    if (sums.defined()) at::Tensor(sums).zero_();
    return true;
  }
  const Problem problem{Matrix(a), Matrix(b), Matrix(out), options.accumulate ? 1.0f : 0.0f,
                        sums.defined() ? sums.mutable_data_ptr() : nullptr};
  GAUSSCSE_CHECK(problem.out.has_rows, "a product has contiguous rows");
  if (library_->multiply(problem, out.mutable_data_ptr(), ops::context_of(out))) return true;
  if (sums.defined()) return false;
  throw SystemError(concat("the GPU cannot multiply: cuBLASLt has no algorithm for a matrix of ", a.size(0), " x ",
                           a.size(1), " and one of ", b.size(0), " x ", b.size(1), " (", a.scalar_type(), " to ",
                           out.scalar_type(), "): compute with --device cpu, or with another LibTorch"));
}

}  // namespace gausscse
