#include "model/matmul/cpu/tiles.hpp"

#include <algorithm>
#include <bit>

namespace gausscse {

namespace {

constexpr std::int64_t most_rows = 1024, most_columns = 768;
constexpr std::int64_t most_sum_rows = 768, most_sum_columns = 768;

/// Returns `size` in even parts of about `most`: the size of all but the last, a multiple of `step`.
std::int64_t even_part(std::int64_t size, std::int64_t most, std::int64_t step) {
  const std::int64_t parts = std::max<std::int64_t>(1, (size + most - 1) / most);
  return ((size + parts - 1) / parts + step - 1) / step * step;
}

/// Appends the tiles of the rows from `begin` to `end`.
void append_tiles(std::int64_t begin, std::int64_t end, std::int64_t columns, std::int64_t most_tile_rows,
                  std::int64_t most_tile_columns, std::int64_t step, std::vector<Tile>& tiles) {
  const std::int64_t tile_rows = even_part(end - begin, most_tile_rows, step);
  const std::int64_t tile_columns = even_part(columns, most_tile_columns, step);
  for (std::int64_t row = begin; row < end; row += tile_rows)
    for (std::int64_t column = 0; column < columns; column += tile_columns)
      tiles.push_back({row, std::min(tile_rows, end - row), column, std::min(tile_columns, columns - column)});
}

}  // namespace

std::vector<Tile> tiles_of_rows(const kernels::RowShards& shards, std::int64_t columns) {
  std::vector<Tile> tiles;
  for (std::int64_t shard = 0; shard < shards.count; ++shard)
    append_tiles(shards.offsets[shard], shards.offsets[shard + 1], columns, most_rows, most_columns, vector_step,
                 tiles);
  // The largest first: threads that take one after another then end at about the same time.
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const Tile& a, const Tile& b) { return a.rows * a.columns > b.rows * b.columns; });
  return tiles;
}

std::vector<Tile> tiles_of_sum(std::int64_t rows, std::int64_t columns, std::int64_t step) {
  std::vector<Tile> tiles;
  append_tiles(0, rows, columns, most_sum_rows, most_sum_columns, step, tiles);
  return tiles;
}

std::int64_t shards_of_group(std::int64_t shards, std::int64_t tiles, std::int64_t threads) {
  auto group = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(shards)));
  const auto tasks = [&] { return tiles * ((shards + group - 1) / group); };
  while (group > 1 && tasks() % threads != 0 && tasks() < 4 * threads) group /= 2;
  return group;
}

}  // namespace gausscse
