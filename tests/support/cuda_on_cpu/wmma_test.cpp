#include "tests/support/cuda_on_cpu/wmma.hpp"

#include "tests/support/testing.hpp"

// Products of tiles by a warp, and the mistakes that the stand-in for them must notice.
namespace cuda_on_cpu {
namespace {

namespace wmma = nvcuda::wmma;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
template <typename Layout>
using FactorA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, Layout>;
template <typename Layout>
using FactorB = wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, Layout>;
using wmma::col_major, wmma::row_major;

__nv_bfloat16 as_bfloat16(int value) {
  return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16)};
}

/// Small whole numbers, products of which are exact.
int of_first(int row, int column) {
  return (5 * row + 3 * column) % 11 - 4;
}
int of_second(int row, int column) {
  return (2 * row + 7 * column) % 13 - 5;
}

constexpr unsigned stride = 24;

/// Writes a matrix of 16 rows by all lanes, or its transpose.
void write_matrix(const SharedPointer<__nv_bfloat16>& to, int (*value)(int, int), bool transposed) {
  for (int element = lane(); element < 256; element += 32) {
    const int row = element / 16, column = element % 16;
    to[transposed ? column * stride + row : row * stride + column] = as_bfloat16(value(row, column));
  }
}

/// Computes 100 + first * second, with each factor in one of two layouts.
template <typename LayoutA, typename LayoutB>
void multiply(wmma::layout_t of_result) {
  std::vector<float> result(256);
  run_grid({1, 1, 32, 8192}, [&] {
    SharedArrays shared;
    const auto first = shared.take<__nv_bfloat16>(16 * stride), second = shared.take<__nv_bfloat16>(16 * stride);
    const auto product = shared.take<float>(16 * 20);
    write_matrix(first, of_first, std::is_same_v<LayoutA, col_major>);
    write_matrix(second, of_second, std::is_same_v<LayoutB, col_major>);
    __syncwarp();
    FactorA<LayoutA> a;
    FactorB<LayoutB> b;
    Sum sum;
    wmma::load_matrix_sync(a, first, stride);
    wmma::load_matrix_sync(b, second, stride);
    wmma::fill_fragment(sum, 100);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(product, sum, 20, of_result);
    __syncwarp();
    for (int element = lane(); element < 256; element += 32)
      result[static_cast<std::size_t>(element)] = product[element / 16 * 20 + element % 16];
  });
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      int expected = 100;
      for (int k = 0; k < 16; ++k) expected += of_first(row, k) * of_second(k, column);
      const int at = of_result == wmma::mem_row_major ? 16 * row + column : 16 * column + row;
      ASSERT_EQ(result[static_cast<std::size_t>(at)], static_cast<float>(expected)) << row << ", " << column;
    }
}

TEST(TileProducts, AreThoseOfMatricesInAnyLayout) {
  multiply<row_major, row_major>(wmma::mem_row_major);
  multiply<row_major, col_major>(wmma::mem_row_major);
  multiply<col_major, row_major>(wmma::mem_col_major);
  multiply<col_major, col_major>(wmma::mem_row_major);
}

TEST(TileProducts, SumsAreReadByRowsOrColumns) {
  for (const wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    std::vector<float> result(256);
    run_grid({1, 1, 32, 4096}, [&] {
      SharedArrays shared;
      const auto from = shared.take<float>(16 * 20), to = shared.take<float>(16 * 24);
      for (int element = lane(); element < 256; element += 32)
        from[element / 16 * 20 + element % 16] = static_cast<float>(element);
      __syncwarp();
      Sum sum;
      wmma::load_matrix_sync(sum, from, 20, layout);
      wmma::store_matrix_sync(to, sum, 24, wmma::mem_row_major);
      __syncwarp();
      for (int element = lane(); element < 256; element += 32)
        result[static_cast<std::size_t>(element)] = to[element / 16 * 24 + element % 16];
    });
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 16; ++column)
        ASSERT_EQ(result[static_cast<std::size_t>(16 * row + column)],
                  static_cast<float>(layout == wmma::mem_row_major ? 16 * row + column : 16 * column + row));
  }
}

TEST(TileProducts, ScatterTheElementsOverTheLanes) {
  const auto expect_all_once = [](const TilePlaces& places) {
    std::vector<int> times(256);
    int neighbours = 0;
    for (int lane = 0; lane < 32; ++lane)
      for (int slot = 0; slot < 8; ++slot) {
        const int element = places.element(lane, slot);
        ++times[static_cast<std::size_t>(element)];
        EXPECT_EQ(places.lane(element), lane);
        EXPECT_EQ(places.slot(element), slot);
        neighbours += places.lane((element + 1) % 256) == lane ? 1 : 0;
      }
    EXPECT_EQ(times, std::vector<int>(256, 1));
    EXPECT_EQ(neighbours, 0);
  };
  expect_all_once(tile_places<wmma::matrix_a>);
  expect_all_once(tile_places<wmma::matrix_b>);
  expect_all_once(tile_places<wmma::accumulator>);
  EXPECT_NE(tile_places<wmma::matrix_a>.element(1, 0), tile_places<wmma::accumulator>.element(1, 0));
  EXPECT_NE(tile_places<wmma::matrix_b>.element(1, 0), tile_places<wmma::accumulator>.element(1, 0));
}

/// Returns the message of the KernelError that a warp throws, or nothing. The kernel gets an array of 512 numbers.
std::string tile_refusal(const std::function<void(const SharedPointer<float>&)>& kernel) {
  try {
    run_grid({1, 1, 32, 4096}, [&] {
      SharedArrays shared;
      kernel(shared.take<float>(512));
    });
  } catch (const KernelError& error) {
    return error.what();
  }
  return "";
}

void expect_tile_refusal(const std::function<void(const SharedPointer<float>&)>& kernel, const std::string& part) {
  const std::string message = tile_refusal(kernel);
  EXPECT_NE(message.find(part), std::string::npos) << "\"" << message << "\" has no \"" << part << "\"";
}

void store_zeros(const SharedPointer<float>& to, unsigned row_stride) {
  Sum sum;
  wmma::fill_fragment(sum, 0);
  wmma::store_matrix_sync(to, sum, row_stride, wmma::mem_row_major);
}

TEST(TileProducts, NeedAlignedTilesAndStrides) {
  EXPECT_EQ(tile_refusal([](const auto& to) { store_zeros(to + 8, 20); }), "");
  expect_tile_refusal([](const auto& to) { store_zeros(to + 4, 16); }, "begins at byte 16");
  expect_tile_refusal([](const auto& to) { store_zeros(to, 18); }, "a stride of 18 elements");
  expect_tile_refusal([](const auto& to) { store_zeros(to + 272, 16); }, "of an array of 512");
}

TEST(TileProducts, NeedAllLanesAtOneTile) {
  expect_tile_refusal([](const auto& to) { store_zeros(to + (lane() == 5 ? 8 : 0), 16); }, "have different tiles");
  expect_tile_refusal([](const auto& to) { store_zeros(to, lane() == 5 ? 20 : 16); }, "wait for each other");
  expect_tile_refusal(
      [](const auto& to) {
        if (lane() != 7) store_zeros(to, 16);
      },
      "1 have left the kernel; 31 wait in a shuffle");
}

TEST(TileProducts, NeedTilesThatWereLoaded) {
  expect_tile_refusal(
      [](const auto& to) {
        Sum sum;
        wmma::store_matrix_sync(to, sum, 16, wmma::mem_row_major);
      },
      "neither loaded nor filled");
  expect_tile_refusal(
      [](const auto&) {
        FactorA<row_major> a;
        FactorB<row_major> b;
        Sum sum;
        wmma::fill_fragment(sum, 0);
        wmma::mma_sync(sum, a, b, sum);
      },
      "neither loaded nor filled");
}

TEST(TileProducts, OrderNoSharedMemory) {
  const auto kernel = [](bool with_barrier) {
    return [=](const SharedPointer<float>& to) {
      store_zeros(to, 16);
      if (with_barrier) __syncwarp();
      for (int i = lane(); i < 256; i += 32) EXPECT_EQ(static_cast<float>(to[i]), 0);
    };
  };
  EXPECT_EQ(tile_refusal(kernel(true)), "");
  const std::string message = tile_refusal(kernel(false));
  EXPECT_TRUE(message.find("no barrier orders") != std::string::npos ||
              message.find("never written") != std::string::npos)
      << message;
}

}  // namespace
}  // namespace cuda_on_cpu
