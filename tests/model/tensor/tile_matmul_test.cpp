#include <ATen/native/CPUBlas.h>

#include "tests/model/tensor/own_tensor.hpp"

#define at own_at
#define c10 own_c10
#include "model/tensor/block_matmul.hpp"
#include "model/tensor/tile_matmul.hpp"
#undef at
#undef c10

namespace gausscse {
namespace {

namespace blocks = own_at::native::cpublas;

/// Numbers of a tile before anything is written to them: a NaN, or a number that is far too large.
constexpr std::uint32_t poison = 0x7FFFFFFF;

/// A processor's tiles, by the text of its manual: what has no shape or the wrong one is an error of the processor.
class ModelOfTiles {
 public:
  void shape(const blocks::TileShapes& shapes) {
    EXPECT_EQ(shapes.palette, 1);
    EXPECT_EQ(shapes.start_row, 0);
    EXPECT_TRUE(std::ranges::all_of(shapes.reserved, [](int byte) { return byte == 0; }));
    for (int tile = 0; tile < 16; ++tile) {
      EXPECT_LE(shapes.rows[tile], tile < 8 ? 16 : 0);
      EXPECT_LE(shapes.bytes_of_row[tile], tile < 8 ? 64 : 0);
      EXPECT_EQ(shapes.rows[tile] == 0, shapes.bytes_of_row[tile] == 0);
      if (tile < 8)
        tiles_[tile] = {shapes.rows[tile], shapes.bytes_of_row[tile], std::vector<std::uint32_t>(256, poison)};
    }
  }
  void zero(int tile) { std::ranges::fill(used(tile).words, 0u); }
  void load(int tile, const char* from, std::int64_t stride) {
    Tile& to = used(tile);
    for (int row = 0; row < to.rows; ++row) std::memcpy(to.row(row), from + row * stride, to.bytes);
  }
  void store(int tile, char* to, std::int64_t stride) {
    Tile& from = used(tile);
    for (int row = 0; row < from.rows; ++row) std::memcpy(to + row * stride, from.row(row), from.bytes);
  }

  /// Sums of even and of odd products are apart until the last.
  void multiply_bfloat16(int sums, int left, int panel) {
    for_each_sum(sums, left, panel, [](const Tile& a, const Tile& b, int row, int column, std::uint32_t before) {
      float of_half[2] = {0, 0};
      for (int k = 0; k < a.bytes / 4; ++k)
        for (int half = 0; half < 2; ++half)
          of_half[half] += bfloat16(a.words[row * 16 + k], half) * bfloat16(b.words[k * 16 + column], half);
      return std::bit_cast<std::uint32_t>(std::bit_cast<float>(before) + (of_half[0] + of_half[1]));
    });
  }
  void multiply_bytes(int sums, int left, int panel) {
    for_each_sum(sums, left, panel, [](const Tile& a, const Tile& b, int row, int column, std::uint32_t before) {
      auto sum = static_cast<std::int32_t>(before);
      for (int k = 0; k < a.bytes / 4; ++k)
        for (int byte = 0; byte < 4; ++byte)
          sum += static_cast<std::uint8_t>(a.words[row * 16 + k] >> 8 * byte) *
                 static_cast<std::int8_t>(b.words[k * 16 + column] >> 8 * byte);
      return static_cast<std::uint32_t>(sum);
    });
  }

 private:
  struct Tile {
    int rows = 0, bytes = 0;
    std::vector<std::uint32_t> words = {};
    std::uint32_t* row(int number) { return words.data() + number * 16; }
  };

  static float bfloat16(std::uint32_t pair, int half) {
    return std::bit_cast<float>(half == 0 ? pair << 16 : pair & 0xFFFF0000);
  }
  Tile& used(int tile) {
    EXPECT_GT(tiles_.at(tile).rows, 0) << "tile " << tile << " has no shape";
    return tiles_[tile];
  }
  template <typename Function>
  void for_each_sum(int sums, int left, int panel, Function sum_of) {
    Tile &to = used(sums), &a = used(left), &b = used(panel);
    EXPECT_EQ(to.rows, a.rows);
    EXPECT_EQ(to.bytes, b.bytes);
    EXPECT_EQ(b.rows, a.bytes / 4);
    for (int row = 0; row < to.rows; ++row)
      for (int column = 0; column < to.bytes / 4; ++column)
        to.row(row)[column] = sum_of(a, b, row, column, to.row(row)[column]);
  }

  std::array<Tile, 8> tiles_;
};
ModelOfTiles model;

template <typename Element>
struct ModelTiles {
  static void shape(std::int64_t upper, std::int64_t lower) { model.shape(blocks::shapes_of_block(upper, lower)); }
  template <int tile>
  static void zero() {
    model.zero(tile);
  }
  template <int tile>
  static void load(const char* from, std::int64_t stride) {
    model.load(tile, from, stride);
  }
  template <int tile>
  static void store(char* to, std::int64_t stride) {
    model.store(tile, to, stride);
  }
  template <int sums, int left, int panel>
  static void multiply() {
    sizeof(Element) == 2 ? model.multiply_bfloat16(sums, left, panel) : model.multiply_bytes(sums, left, panel);
  }
};

/// A block product: rows of the left factor and of the output have gaps, the panel has 64 columns.
template <typename Left, typename Right, typename Sum>
struct Product {
  at::Tensor left, right, panel, before;
  std::int64_t rows, columns, depth;
  bool accumulate;

  /// Returns the output that multiply(rows, ..., out) has written.
  template <typename Multiply>
  at::Tensor by(const Multiply& multiply) const {
    at::Tensor out = before.clone();
    multiply(rows, columns, depth, left.stride(0), 64, out.stride(0), accumulate, left.const_data_ptr<Left>(),
             panel.const_data_ptr<Right>(), out.mutable_data_ptr<Sum>());
    EXPECT_TRUE(out.narrow(1, columns, out.size(1) - columns).equal(before.narrow(1, columns, out.size(1) - columns)));
    return out.narrow(1, 0, columns);
  }
  at::Tensor exact() const {
    const at::Tensor product = at::mm(left.to(at::kDouble), right.to(at::kDouble)).narrow(1, 0, columns);
    return product + before.narrow(1, 0, columns).to(at::kDouble) * (accumulate ? 1 : 0);
  }
};

/// Calls take(product) with products of many numbers of rows and columns.
template <typename Left, typename Right, typename Sum, typename Take>
void for_each_product(const Take& take) {
  constexpr std::int64_t group = 4 / sizeof(Left);
  constexpr bool is_float = std::is_same_v<Sum, float>;
  const auto random = [&](const std::vector<std::int64_t>& sizes, at::ScalarType type, int lowest) {
    return is_float ? at::randn(sizes).to(type) : at::randint(lowest, lowest + 255, sizes).to(type);
  };
  for (const std::int64_t depth : {64 / static_cast<std::int64_t>(sizeof(Left)), 192l})
    for (const std::int64_t rows : {1, 15, 16, 17, 32, 33, 50, 64})
      for (const std::int64_t columns : {1, 16, 31, 48, 64})
        for (const bool accumulate : {false, true}) {
          SCOPED_TRACE(concat(rows, " x ", depth, " x ", columns, accumulate ? ", added" : ""));
          const at::Tensor left = random({rows, depth + 4}, c10::CppTypeToScalarType<Left>::value, 0);
          const at::Tensor right = random({depth, 64}, c10::CppTypeToScalarType<Right>::value, -127);
          const at::Tensor panel = right.view({depth / group, group, 64}).transpose(1, 2).contiguous();
          take(Product<Left, Right, Sum>{left.narrow(1, 0, depth), right, panel,
                                         random({rows, 70}, c10::CppTypeToScalarType<Sum>::value, -100), rows, columns,
                                         depth, accumulate});
        }
}

template <typename Left>
const auto by_model = [](auto rows, auto columns, auto depth, auto stride, auto panel_columns, auto out_stride,
                         bool accumulate, const Left* left, const auto* panel, auto* out) {
  constexpr std::int64_t size = sizeof(Left);
  blocks::multiply_by_tiles<ModelTiles<Left>>(rows, columns,
                                              {reinterpret_cast<const char*>(left), stride * size,
                                               reinterpret_cast<const char*>(panel), panel_columns * 4, depth * size},
                                              out, out_stride, accumulate);
};
// Each gives the tiles back, as the other gives them other shapes.
const auto by_library = [](auto... arguments) {
  at::native::cpublas::brgemm(arguments...);
  at::native::cpublas::brgemm_release();
};
const auto by_processor = [](auto rows, auto columns, auto depth, auto stride, auto panel_columns, auto out_stride,
                             bool accumulate, const auto* left, const auto* panel, auto* out) {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*left)>, at::BFloat16>)
    blocks::brgemm(rows, columns, depth, stride, panel_columns, out_stride, accumulate,
                   reinterpret_cast<const own_at::BFloat16*>(left), reinterpret_cast<const own_at::BFloat16*>(panel),
                   out);
  else
    blocks::brgemm(rows, columns, depth, stride, panel_columns, out_stride, accumulate, left, panel, out);
  blocks::brgemm_release();
};

TEST(TileMatmul, OfBfloat16IsTheProduct) {
  for_each_product<at::BFloat16, at::BFloat16, float>([](const auto& product) {
    const at::Tensor error = (product.by(by_model<at::BFloat16>).to(at::kDouble) - product.exact()).abs().max();
    // Products of unit variance, whose sum of `depth` is rounded `depth` times.
    EXPECT_LT(error.item<double>(), 1e-6 * static_cast<double>(product.depth));
  });
}

TEST(TileMatmul, OfBytesIsTheProduct) {
  for_each_product<std::uint8_t, std::int8_t, std::int32_t>([](const auto& product) {
    EXPECT_TRUE(product.by(by_model<std::uint8_t>).to(at::kDouble).equal(product.exact()));
  });
}

/// The library's may add in another order where the product is added to something.
TEST(TileMatmul, OfTheProcessorHasTheBitsOfTheModelAndOfTheLibrary) {
  if (!blocks::has_tiles()) GTEST_SKIP() << "needs a processor with tiles (AMX)";
  for_each_product<at::BFloat16, at::BFloat16, float>([](const auto& product) {
    const at::Tensor found = product.by(by_processor);
    EXPECT_TRUE(found.equal(product.by(by_model<at::BFloat16>)));
    if (!product.accumulate && product.rows % 16 == 0) {
      EXPECT_TRUE(found.equal(product.by(by_library)));
    }
  });
  for_each_product<std::uint8_t, std::int8_t, std::int32_t>(
      [](const auto& product) { EXPECT_TRUE(product.by(by_processor).to(at::kDouble).equal(product.exact())); });
}

TEST(TileMatmul, WithoutTilesIsRefused) {
  if (blocks::has_tiles()) GTEST_SKIP() << "this processor has tiles";
  own_at::BFloat16 a[32], panel[64 * 32];
  float out[64];
  EXPECT_THROW(blocks::brgemm(1, 64, 32, 32, 64, 64, false, a, panel, out), own_at::Error);
  blocks::brgemm_release();
}

}  // namespace
}  // namespace gausscse
