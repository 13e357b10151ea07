#include "model/kernels/panel_matmul.hpp"

#include <cstring>
#include <utility>

#include "model/kernels/cpu/gelu.hpp"
#include "model/kernels/cpu/transpose.hpp"
#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

typedef Register<float> Floats;
constexpr std::int64_t lanes_of_register = RegisterOf<float>::width;

/// A tile of sums is in registers: these rows, and registers of columns.
#if defined(__AVX512F__)
constexpr int tile_rows = 8, tile_registers = 3;
#elif defined(__AVX2__)
constexpr int tile_rows = 6, tile_registers = 2;
#else
constexpr int tile_rows = 4, tile_registers = 2;
#endif
constexpr std::int64_t tile_columns = tile_registers * lanes_of_register;
static_assert(panel_width % tile_columns == 0);

/// Computes `rows` rows of a tile. `panel` and `bias` begin at its first column.
template <int rows>
void multiply_tile(const float* left, std::int64_t left_stride, std::int64_t depth, const float* panel,
                   const float* bias, float* out, std::int64_t out_stride) {
  Floats sums[rows][tile_registers] = {};
  // The memory of `out` is fetched while the sums are computed.
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < tile_registers; ++i) __builtin_prefetch(out + r * out_stride + i * lanes_of_register, 1);
  for (std::int64_t k = 0; k < depth; ++k, panel += panel_width) {
    Floats of_panel[tile_registers];
    for (int i = 0; i < tile_registers; ++i) of_panel[i] = load_some(panel + i * lanes_of_register, lanes_of_register);
    for (int r = 0; r < rows; ++r) {
      const float of_row = left[r * left_stride + k];
      for (int i = 0; i < tile_registers; ++i) sums[r][i] += of_row * of_panel[i];
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < tile_registers; ++i)
      store_some(out + r * out_stride + i * lanes_of_register,
                 sums[r][i] + load_some(bias + i * lanes_of_register, lanes_of_register), lanes_of_register);
}

/// Computes a tile of up to `tile_rows` rows.
template <int... fewer>
inline void multiply_rows_of_tile(std::integer_sequence<int, fewer...>, std::int64_t rows, const float* left,
                                  std::int64_t left_stride, std::int64_t depth, const float* panel, const float* bias,
                                  float* out, std::int64_t out_stride) {
  ((rows == tile_rows - fewer ? multiply_tile<tile_rows - fewer>(left, left_stride, depth, panel, bias, out, out_stride)
                              : void()),
   ...);
}

void multiply_panel(const PanelProduct& product) {
  alignas(64) float bias[panel_width] = {};
  if (product.bias) std::memcpy(bias, product.bias, sizeof(float) * static_cast<std::size_t>(product.columns));
  for (std::int64_t column = 0; column < product.columns; column += tile_columns) {
    const std::int64_t columns = product.columns - column;
    for (std::int64_t row = 0; row < product.rows; row += tile_rows) {
      const std::int64_t rows = product.rows - row < tile_rows ? product.rows - row : tile_rows;
      float* const out = product.out + row * product.out_stride + column;
      alignas(64) float part[tile_rows * tile_columns];
      const bool is_whole = columns >= tile_columns;
      multiply_rows_of_tile(std::make_integer_sequence<int, tile_rows>(), rows,
                            product.left + row * product.left_stride, product.left_stride, product.depth,
                            product.panel + column, bias + column, is_whole ? out : part,
                            is_whole ? product.out_stride : tile_columns);
      for (std::int64_t r = 0; !is_whole && r < rows; ++r)
        std::memcpy(out + r * product.out_stride, part + r * tile_columns,
                    sizeof(float) * static_cast<std::size_t>(columns));
    }
  }
}

void pack_panel(const float* x, std::int64_t stride, std::int64_t depth, std::int64_t columns, float* panel) {
  for (std::int64_t k = 0; k < depth; ++k, panel += panel_width) {
    std::memcpy(panel, x + k * stride, sizeof(float) * static_cast<std::size_t>(columns));
    for (std::int64_t c = columns; c < panel_width; ++c) panel[c] = 0;
  }
}

void pack_transposed_panel(const float* x, std::int64_t stride, std::int64_t depth, std::int64_t columns,
                           float* panel) {
  static_assert(panel_width % square == 0);
  for (std::int64_t column = 0; column < panel_width; column += square)
    for (std::int64_t k = 0; k < depth; k += square) {
      const std::int64_t count = depth - k < square ? depth - k : square;
      Words words[square] = {};
      for (std::int64_t c = 0; c < square && column + c < columns; ++c)
        std::memcpy(&words[c], x + (column + c) * stride + k, sizeof(float) * static_cast<std::size_t>(count));
      transpose_square(words);
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(panel + (k + i) * panel_width + column, &words[i], sizeof words[i]);
    }
}

void gelu_of_rows(const float* x, const float* bias, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                  float* activation) {
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_register<float>(columns, [=](std::int64_t c, auto count) {
      store_some(activation + r * stride + c, gelu(load_some(x + r * stride + c, count) + load_some(bias + c, count)),
                 count);
    });
}

constexpr PanelMatmul products_of_panels{
    .pack = pack_panel, .pack_transposed = pack_transposed_panel, .multiply = multiply_panel, .gelu = gelu_of_rows};

}  // namespace

template <>
const PanelMatmul& table() {
  return products_of_panels;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
