#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>

#include "model/kernels/int8_kernels.hpp"
#include "model/ops/reused_matrix.hpp"

/// Matmuls of bytes with int32 sums: oneDNN's block kernel (through LibTorch) multiplies panels of 64 columns where the
/// processor has instructions for bytes (AVX-512 VNNI, AMX), else a kernel of ours, with the same sums.
namespace gausscse::int8_products {

/// Rows that are multiplied at a time.
constexpr std::int64_t block_rows = 64;

/// Weights of a linear layer in bytes, with its bias.
struct Weight {
  at::Tensor panels;     ///< int8 [panels, padded depth * 64], see kernels::Int8Kernels::multiply
  at::Tensor scales;     ///< float32 [columns]
  at::Tensor byte_sums;  ///< int32 [columns]
  at::Tensor bias;       ///< float32 [columns]
  std::int64_t depth, columns;

  /// Returns the floats, or bytes, of a row of sums; of inputs. Rows of sums begin in different cache sets.
  std::int64_t sums_stride() const { return panels.size(0) * kernels::int8_panel + 16; }
  std::int64_t input_stride() const { return panels.size(1) / kernels::int8_panel; }
};

/// Returns the bytes that a row of inputs of this many columns takes.
std::int64_t input_stride(std::int64_t columns);

/// Activations in bytes. There is memory for a multiple of `block_rows` rows.
struct Rows {
  at::Tensor bytes;   ///< uint8 [rows, input_stride]
  at::Tensor scales;  ///< float32 [rows, 2], kernels::ByteScale

  /// Returns the rows from `row` on.
  kernels::ByteRows from(std::int64_t row) const;
};
/// Memory of Rows.
struct RowsMemory {
  ReusedMatrix bytes, scales;

  Rows get(std::int64_t rows, std::int64_t columns);
};

/// Returns y = W x + b in bytes, for W float32 [columns, depth]. Column k of x will come times factors[k], if defined.
Weight pack_weight(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors);

/// Multiplies `count` rows, at most `block_rows`, into `sums` [block_rows, sums_stride].
kernels::Int8Sums multiply(const kernels::ByteRows& rows, std::int64_t count, const Weight& weight, std::int32_t* sums);

/// Frees the processor's tiles, which the block kernel keeps set up, when a thread has multiplied.
struct TilesInUse {
  TilesInUse() = default;
  TilesInUse(const TilesInUse&) = delete;
  TilesInUse& operator=(const TilesInUse&) = delete;
  ~TilesInUse();
};

/// Weights of a model's layers in bytes, each packed when it is first asked for after a change. Threads share it.
class Weights {
 public:
  /// Must be called when parameters have changed, while no thread computes.
  void changed();
  /// Returns factors of the layers' inputs by column, which `make` makes once after each change.
  at::Tensor column_factors(const std::function<at::Tensor()>& make);
  /// Returns pack_weight's; `weight` is a view of the parameters.
  const Weight& packed(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors);

 private:
  std::mutex mutex_;
  at::Tensor column_factors_;
  std::map<std::tuple<std::int64_t, std::int64_t>, Weight> packed_;  ///< by offset and rows
};

}  // namespace gausscse::int8_products
