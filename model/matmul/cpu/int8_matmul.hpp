#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "model/kernels/int8_kernels.hpp"
#include "model/ops/reused_lines.hpp"

/// Matmuls of bytes with int32 sums: by kernels of ours, or, on processors with AMX, by tiles, through oneDNN
/// in LibTorch or by model/tensor, with the same sums.
namespace gausscse::int8_matmul {

/// Rows that a thread takes through the matmuls of a layer at a time.
constexpr std::int64_t block_rows = 64;

/// Weights of a linear layer in bytes, with its bias.
struct Weight {
  at::Tensor panels;            ///< int8 [panels, padded depth * 64], see kernels::MultiplyBytes
  at::Tensor scales;            ///< float32 [columns]
  at::Tensor scaled_byte_sums;  ///< float32 [columns], see kernels::Int8Linear
  at::Tensor bias;              ///< float32 [columns]
  std::int64_t columns;

  /// Returns it as the kernels read it, with the fastest way to multiply.
  kernels::Int8Linear linear() const;
};

/// Returns the bytes that a row of inputs of this many columns takes.
std::int64_t input_stride(std::int64_t columns);

/// Returns the way to multiply bytes that is the fastest on this processor.
kernels::Int8Multiplier multiplier();
/// Returns the library's way, or nothing where it cannot multiply bytes on this processor.
std::optional<kernels::Int8Multiplier> multiplier_of_library();

/// Memory of activations in bytes.
struct RowsMemory {
  ReusedLines values, scales;

  /// Returns memory for that number of rows, and kernels::int8_most_rows more, which the library may read.
  kernels::ByteRows get(std::int64_t rows, std::int64_t columns);
  std::int64_t bytes() const { return values.bytes() + scales.bytes(); }
};

/// Returns y = W x + b in bytes, for W float32 [columns, depth]. Column k of x will come times factors[k], if defined.
Weight pack_weight(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors);

/// Frees the processor's tiles, which the library's block kernel keeps set up, when a thread has multiplied.
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

}  // namespace gausscse::int8_matmul
