#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

/// Matmuls of blocks by a processor's tiles (AMX), written over what a tile can do, so that a test can put a model of
/// tiles in place of the processor's.
namespace at::native::cpublas {

/// A tile has up to 16 rows of 64 bytes.
constexpr std::int64_t tile_rows = 16, tile_bytes = 64;
/// Columns of a tile of sums, which are 4 bytes each.
constexpr std::int64_t tile_columns = tile_bytes / 4;

/// Shapes of the tiles, as the instruction LDTILECFG reads them.
struct TileShapes {
  std::uint8_t palette = 1, start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_of_row[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileShapes) == 64);

/// Factors of a block in bytes. A row of `left` has `depth` bytes, a multiple of tile_bytes. Four of them, two numbers
/// of 16 bits or four of 8, belong to a row of `panel`, which has the same numbers of each column next to each other.
struct BlockFactors {
  const char* left;
  std::int64_t left_stride;  ///< bytes
  const char* panel;
  std::int64_t panel_stride;  ///< bytes
  std::int64_t depth;         ///< bytes
};

/// Returns the shapes for `upper` and `lower` rows of a left factor:
///
///                           6: columns 0 to 15   7: columns 16 to 31     of the panel
///     4: the upper rows            0                    1
///     5: the lower rows            2                    3                sums
inline TileShapes shapes_of_block(std::int64_t upper, std::int64_t lower) {
  TileShapes shapes;
  const auto shape = [&](int tile, std::int64_t rows) {
    shapes.rows[tile] = static_cast<std::uint8_t>(rows);
    shapes.bytes_of_row[tile] = rows > 0 ? tile_bytes : 0;
  };
  for (const int tile : {0, 1, 4}) shape(tile, upper);
  for (const int tile : {2, 3, 5}) shape(tile, lower);
  for (const int tile : {6, 7}) shape(tile, tile_rows);
  return shapes;
}

/// Computes the sums of up to 32 rows, the lower 16 if `has_lower`, and up to 32 columns, the right 16 if `has_right`.
/// `Tiles` is a way to use tiles, such as the processor's: AmxTiles in block_matmul.cpp.
template <typename Tiles, bool has_lower, bool has_right>
void sum_in_tiles(const BlockFactors& of, char* out, std::int64_t out_stride) {
  Tiles::template zero<0>();
  if constexpr (has_right) Tiles::template zero<1>();
  if constexpr (has_lower) Tiles::template zero<2>();
  if constexpr (has_lower && has_right) Tiles::template zero<3>();
  for (std::int64_t k = 0; k < of.depth; k += tile_bytes) {
    const char* const panel = of.panel + k / 4 * of.panel_stride;
    Tiles::template load<4>(of.left + k, of.left_stride);
    Tiles::template load<6>(panel, of.panel_stride);
    Tiles::template multiply<0, 4, 6>();
    if constexpr (has_right) {
      Tiles::template load<7>(panel + tile_bytes, of.panel_stride);
      Tiles::template multiply<1, 4, 7>();
    }
    if constexpr (has_lower) {
      Tiles::template load<5>(of.left + tile_rows * of.left_stride + k, of.left_stride);
      Tiles::template multiply<2, 5, 6>();
      if constexpr (has_right) Tiles::template multiply<3, 5, 7>();
    }
  }
  Tiles::template store<0>(out, out_stride);
  if constexpr (has_right) Tiles::template store<1>(out + tile_bytes, out_stride);
  if constexpr (has_lower) Tiles::template store<2>(out + tile_rows * out_stride, out_stride);
  if constexpr (has_lower && has_right) Tiles::template store<3>(out + tile_rows * out_stride + tile_bytes, out_stride);
}

/// Computes out [rows, columns], rows `out_stride` apart, = the product, or is added to. The sums of a block are
/// complete before they are added.
template <typename Tiles, typename Sum>
void multiply_by_tiles(std::int64_t rows, std::int64_t columns, BlockFactors of, Sum* out, std::int64_t out_stride,
                       bool accumulate) {
  constexpr std::int64_t most = 2 * tile_rows;
  static_assert(sizeof(Sum) == 4);
  const char* const panel = of.panel;
  for (std::int64_t row = 0; row < rows; row += most, of.left += most * of.left_stride) {
    const std::int64_t count = std::min(most, rows - row), lower = std::max<std::int64_t>(0, count - tile_rows);
    Tiles::shape(count - lower, lower);
    for (std::int64_t column = 0; column < columns; column += most) {
      const std::int64_t width = std::min(most, columns - column);
      of.panel = panel + column * 4;
      const bool has_right = width > tile_columns;
      const auto sum = lower > 0   ? has_right ? sum_in_tiles<Tiles, true, true> : sum_in_tiles<Tiles, true, false>
                         : has_right ? sum_in_tiles<Tiles, false, true>
                                   : sum_in_tiles<Tiles, false, false>;
      Sum* const to = out + row * out_stride + column;
      if (!accumulate && width % tile_columns == 0) {
        sum(of, reinterpret_cast<char*>(to), out_stride * 4);
        continue;
      }
      alignas(64) Sum block[most * most];
      sum(of, reinterpret_cast<char*>(block), most * 4);
      for (std::int64_t r = 0; r < count; ++r)
        for (std::int64_t c = 0; c < width; ++c)
          to[r * out_stride + c] = block[r * most + c] + (accumulate ? to[r * out_stride + c] : Sum{0});
    }
  }
}

}  // namespace at::native::cpublas
