#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

namespace gausscse {

/// Matmuls on a GPU, by cuBLASLt, on the stream of LibTorch's work. Any number of threads may share one object.
///
/// Which algorithm multiplies follows from types, sizes, strides and alignments alone: nothing is measured. So a run
/// that starts again computes the same bits. The library is asked once for all sizes that `rounded_up` makes equal.
///
///     CublasLt library;
///     library.multiply(grad.t(), x, grad_weight, {.accumulate = true});  // grad_weight += grad^T x
class CublasLt {
 public:
  /// Begins to use the library on the current GPU; throws SystemError where it cannot, std::logic_error in a build
  /// without CUDA.
  CublasLt();
  ~CublasLt();

  /// Parts of a matmul besides the product.
  struct Options {
    bool accumulate = false;   ///< add to `out` instead of writing it
    at::Tensor row_sums = {};  ///< float32 [rows], if defined: becomes the sums of a's rows; `out` is float32 then
  };
  /// Computes out [rows, columns] = a [rows, depth] b [depth, columns], with float32 sums. `a` and `b` are both float32
  /// or both bfloat16, each with contiguous rows or columns. `out` has contiguous rows, and is float32 or of their
  /// type. Returns false, with nothing computed, where the library cannot sum rows in this matmul. Throws SystemError
  /// where it cannot multiply.
  bool multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out, const Options& options);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace gausscse
