#include "model/ops/dense_tensors.hpp"

#include <ATen/ATen.h>

#include "tests/support/testing.hpp"

// Each function is compared with LibTorch's of the same name, on tensors of all layouts that the program makes.

namespace gausscse {
namespace {

namespace own = dense_tensors;
using Indices = std::vector<std::int64_t>;

/// Expects equal values, bit by bit, strides and memory.
void expect_same(const own::Made& made, const at::Tensor& expected) {
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sizes(), expected.sizes());
  EXPECT_EQ(made->strides(), expected.strides());
  EXPECT_EQ(made->storage_offset(), expected.storage_offset());
  EXPECT_EQ(made->options().dtype(), expected.options().dtype());
  EXPECT_EQ(made->key_set().raw_repr(), expected.key_set().raw_repr());
  EXPECT_TRUE(made->equal(expected)) << *made << expected;
}

/// Expects a view of the same memory.
void expect_view(const own::Made& made, const at::Tensor& expected) {
  expect_same(made, expected);
  if (made) {
    EXPECT_EQ(made->const_data_ptr(), expected.const_data_ptr());
    EXPECT_TRUE(made->is_alias_of(expected));
  }
}

at::Tensor numbers(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return at::arange(count, at::kDouble).mul(0.37).sub(3).to(type).view(sizes);
}

/// Matrices of one size and of all layouts: by rows, a part of wider rows, transposed, every second row, one row often.
std::vector<at::Tensor> matrices(std::int64_t rows, std::int64_t columns, at::ScalarType type) {
  return {numbers({rows, columns}, type), numbers({rows, columns + 3}, type).narrow(1, 2, columns),
          numbers({columns, rows}, type).t(), numbers({2 * rows, columns}, type).slice(0, 1, std::nullopt, 2),
          numbers({columns}, type).expand({rows, columns})};
}

constexpr auto plain_types = {at::kFloat, at::kDouble, at::kBFloat16, at::kInt,
                              at::kLong,  at::kByte,   at::kChar,     at::kBool};
constexpr auto float_types = {at::kFloat, at::kDouble, at::kBFloat16};
const own::Type no_type;
const own::Layout no_layout;
const own::Device no_device;
const own::Flag no_flag;
const own::Format no_format;

TEST(DenseTensors, ViewsAreThoseOfLibtorch) {
  for (const at::Tensor& x : matrices(5, 4, at::kFloat)) {
    for (const std::int64_t dimension : {0, 1}) {
      for (std::int64_t begin = 0; begin <= x.size(dimension); ++begin) {
        for (std::int64_t count = 0; begin + count <= x.size(dimension); ++count)
          expect_view(own::narrow(x, dimension, begin, count), x.narrow(dimension, begin, count));
        if (begin < x.size(dimension)) expect_view(own::select(x, dimension, begin), x.select(dimension, begin));
      }
      for (const std::int64_t begin : {-9, -2, 0, 1, 9})
        for (const std::int64_t end : {-9, -1, 0, 3, 9})
          for (const std::int64_t step : {1, 2, 3})
            expect_view(own::slice(x, dimension, c10::SymInt(begin), c10::SymInt(end), step),
                        x.slice(dimension, begin, end, step));
      expect_view(own::slice(x, dimension, std::nullopt, std::nullopt, 1), x.slice(dimension));
    }
    expect_view(own::t(x), x.t());
    expect_view(own::expand_as(x, at::empty({3, 5, 4})), x.expand_as(at::empty({3, 5, 4})));
    expect_view(own::expand_as(x.narrow(1, 1, 1), x), x.narrow(1, 1, 1).expand_as(x));
    EXPECT_FALSE(own::expand_as(x, at::empty({5, 5})));
  }
  const at::Tensor x = numbers({4, 6}).narrow(0, 1, 3);
  for (const Indices& sizes : std::vector<Indices>{{18}, {-1}, {2, 9}, {3, -1, 2}, {1, 18, 1}})
    expect_view(own::view(x, c10::fromIntArrayRefSlow(sizes)), x.view(sizes));
  const at::Tensor none = numbers({4, 6}).narrow(0, 2, 0);
  for (const Indices& sizes : std::vector<Indices>{{-1}, {0}, {2, -1}, {0, 3, 2}, {5, 0, 2}})
    expect_view(own::view(none, c10::fromIntArrayRefSlow(sizes)), none.view(sizes));
  EXPECT_FALSE(own::view(none, {c10::SymInt(0), c10::SymInt(-1)}));
  EXPECT_FALSE(own::view(none, {c10::SymInt(2)}));
  const Indices sizes{2, 3}, strides{5, 2};
  expect_view(own::as_strided(x, c10::fromIntArrayRefSlow(sizes), c10::fromIntArrayRefSlow(strides), c10::SymInt(7)),
              x.as_strided(sizes, strides, 7));
}

TEST(DenseTensors, NewTensorsAreThoseOfLibtorch) {
  for (const at::ScalarType type : plain_types) {
    // The last is large: fresh memory of the system.
    for (const Indices& sizes : std::vector<Indices>{{}, {0}, {3}, {2, 0, 4}, {2, 3, 4}, {1 << 11, 1 << 11}}) {
      const auto symbols = c10::fromIntArrayRefSlow(sizes);
      const own::Made zeros = own::zeros(symbols, type, no_layout, no_device, no_flag);
      expect_same(zeros, at::zeros(sizes, type));
      expect_same(own::zeros_like(*zeros, no_type, no_layout, no_device, no_flag, no_format), at::zeros(sizes, type));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(zeros->const_data_ptr()) % 64, 0u);
      const own::Made empty = own::empty(symbols, type, no_layout, at::kCPU, false, no_format);
      ASSERT_TRUE(empty);
      EXPECT_EQ(empty->sizes(), at::IntArrayRef(sizes));
      EXPECT_EQ(empty->scalar_type(), type);
      EXPECT_TRUE(own::zero_(empty->fill_(1)));
      expect_same(empty, at::zeros(sizes, type));
      expect_same(own::empty_like(*empty, at::kInt, no_layout, no_device, no_flag, no_format)->zero_(),
                  at::zeros(sizes, at::kInt));
    }
  }
  const own::Made without_type = own::empty({}, no_type, no_layout, no_device, no_flag, no_format);
  EXPECT_EQ(without_type->scalar_type(), at::kFloat);
}

TEST(DenseTensors, CopiesAreThoseOfLibtorch) {
  for (const at::ScalarType type : plain_types) {
    // The second size is large: several threads copy.
    for (const Indices& size : {Indices{5, 4}, Indices{300, 1000}}) {
      if (size[0] > 5 && type != at::kFloat) continue;
      for (const at::Tensor& from : matrices(size[0], size[1], type)) {
        for (const at::Tensor& to : matrices(size[0], size[1], type)) {
          if (to.stride(0) == 0) continue;
          at::Tensor changed = to.clone(), expected = to.clone();
          EXPECT_EQ(own::copy_(changed, from, false), &changed);
          expect_same(changed, expected.copy_(from));
        }
        expect_same(own::clone(from, at::MemoryFormat::Contiguous), from.clone(at::MemoryFormat::Contiguous));
        if (from.is_contiguous()) expect_view(own::contiguous(from), from);
        expect_same(own::contiguous(from), from.contiguous());
      }
    }
  }
}

TEST(DenseTensors, ConversionsRoundAsThoseOfLibtorch) {
  for (const at::ScalarType from_type : float_types) {
    for (const at::Tensor& from : matrices(5, 4, from_type)) {
      for (const at::ScalarType type : float_types) {
        at::Tensor changed = at::zeros({5, 4}, type), expected = at::zeros({5, 4}, type);
        EXPECT_EQ(own::copy_(changed, from, false), &changed);
        expect_same(changed, expected.copy_(from));
        if (!from.is_contiguous()) continue;
        expect_same(own::to_type(from, type, false, false, no_format), from.to(type));
        expect_same(own::to(from, type, at::kStrided, at::kCPU, false, false, true, no_format),
                    from.to(type, false, true));
      }
    }
  }
  // Ties of bfloat16 (8 bits), numbers next to them, and those that become infinite or zero.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor hard =
      at::tensor({1.00390625, 1.01171875, 1.00390626, -1.00390625, 3.4e38, 1e39, 1e-46, -0.0, infinity}, at::kDouble);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    expect_same(own::to_type(hard, type, false, false, no_format), hard.to(type));
    expect_same(own::to_type(hard.to(at::kFloat), type, false, false, no_format), hard.to(at::kFloat).to(type));
  }
  const at::Tensor not_a_number = at::full({1}, std::numeric_limits<double>::quiet_NaN(), at::kFloat);
  EXPECT_TRUE(own::to_type(not_a_number, at::kBFloat16, false, false, no_format)->isnan().item<bool>());
  const at::Tensor x = numbers({2, 3});
  expect_view(own::to_type(x, at::kFloat, false, false, no_format), x);
}

TEST(DenseTensors, JoinedTensorsAndRowsAreThoseOfLibtorch) {
  for (const at::ScalarType type : plain_types) {
    for (const at::Tensor& x : matrices(5, 4, type)) {
      const std::vector<at::Tensor> by_rows{x, numbers({2, 4}, type), numbers({0, 4}, type)};
      const std::vector<at::Tensor> by_columns{numbers({5, 1}, type), x};
      expect_same(own::cat(at::ITensorListRef(by_rows), 0), at::cat(by_rows, 0));
      expect_same(own::cat(at::ITensorListRef(by_columns), 1), at::cat(by_columns, 1));
    }
    // The second table is large: several threads copy.
    for (const Indices& sizes : std::vector<Indices>{{5, 4}, {900, 2, 700}, {5}}) {
      const at::Tensor table = numbers(sizes, type), index = at::tensor({4L, 0L, 3L, 0L}, at::kLong);
      const at::Tensor expected = table.index_select(0, index);
      expect_same(own::index_select(table, 0, index), expected);
      at::Tensor rows = at::zeros_like(expected);
      EXPECT_EQ(own::index_select_out(table, 0, index, rows), &rows);
      expect_same(rows, expected);
      const at::Tensor places = at::tensor({1L, 4L, 0L, 2L}, at::kLong);
      at::Tensor changed = at::zeros_like(table);
      EXPECT_EQ(own::index_copy_(changed, 0, places, rows), &changed);
      expect_same(changed, at::zeros_like(table).index_copy_(0, places, rows));
    }
  }
}

TEST(DenseTensors, RowsMayBePartsOfWiderRows) {
  const at::Tensor wide = numbers({5, 7}), table = wide.narrow(1, 2, 4), index = at::tensor({4L, 0L}, at::kLong);
  expect_same(own::index_select(table, 0, index), table.index_select(0, index));
  at::Tensor changed = at::zeros({5, 7}), expected = at::zeros({5, 7}), part = changed.narrow(1, 3, 4);
  const at::Tensor rows = wide.narrow(0, 1, 2).narrow(1, 3, 4);
  EXPECT_EQ(own::index_copy_(part, 0, index, rows), &part);
  expected.narrow(1, 3, 4).index_copy_(0, index, rows);
  expect_same(changed, expected);
  EXPECT_FALSE(own::index_copy_(part, 0, index, numbers({4, 2}).t()));
  EXPECT_FALSE(own::index_select(numbers({4, 5}).t(), 0, index));
}

/// Cases of LibTorch: errors, other devices, gradients, and layouts and types that the program does not use here.
TEST(DenseTensors, OtherArgumentsAreLeftToLibtorch) {
  const at::Tensor x = numbers({5, 4}), elsewhere = at::empty({5, 4}, at::kMeta);
  const at::Tensor with_gradient = numbers({5, 4}).requires_grad_();
  for (const at::Tensor& other : {elsewhere, with_gradient, at::Tensor()}) {
    EXPECT_FALSE(own::narrow(other, 0, 0, 1));
    EXPECT_FALSE(own::t(other));
    EXPECT_FALSE(own::contiguous(other));
    at::Tensor changed = other;
    EXPECT_FALSE(own::copy_(changed, x, false));
    EXPECT_FALSE(own::zero_(changed));
    changed = x.clone();
    EXPECT_FALSE(own::copy_(changed, other, false));
    EXPECT_FALSE(own::cat(at::ITensorListRef({x, other}), 0));
  }
  EXPECT_FALSE(own::empty({c10::SymInt(2)}, no_type, no_layout, at::Device(at::kMeta), no_flag, no_format));
  EXPECT_FALSE(own::empty({c10::SymInt(2)}, no_type, at::kSparse, no_device, no_flag, no_format));
  EXPECT_FALSE(own::empty({c10::SymInt(-1)}, no_type, no_layout, no_device, no_flag, no_format));
  EXPECT_FALSE(own::zeros({c10::SymInt(1L << 40), c10::SymInt(1L << 40)}, no_type, no_layout, no_device, true));
  EXPECT_FALSE(own::zeros({c10::SymInt(1L << 40), c10::SymInt(1L << 40)}, no_type, no_layout, no_device, no_flag));
  EXPECT_FALSE(own::narrow(x, 0, 3, 3));
  EXPECT_FALSE(own::narrow(x, 2, 0, 1));
  EXPECT_FALSE(own::narrow(x, 0, 0, -1));
  EXPECT_FALSE(own::select(x, 1, 4));
  EXPECT_FALSE(own::slice(x, 0, c10::SymInt(0), c10::SymInt(1), 0));
  EXPECT_FALSE(own::view(x, {c10::SymInt(3), c10::SymInt(-1)}));
  EXPECT_FALSE(own::view(x, {c10::SymInt(-1), c10::SymInt(-1)}));
  EXPECT_FALSE(own::view(x.t(), {c10::SymInt(20)}));
  EXPECT_FALSE(own::as_strided(x, {c10::SymInt(3)}, {c10::SymInt(10)}, c10::SymInt(0)));
  at::Tensor changed = x.clone();
  EXPECT_FALSE(own::copy_(changed, numbers({4}), false));
  EXPECT_FALSE(own::copy_(changed, numbers({5, 4}, at::kLong), false));
  EXPECT_FALSE(own::clone(x.t(), no_format));
  for (const std::int64_t index : {-1L, 5L}) {
    EXPECT_FALSE(own::index_select(x, 0, at::tensor({index}, at::kLong)));
    EXPECT_FALSE(own::index_copy_(changed, 0, at::tensor({index}, at::kLong), numbers({1, 4})));
  }
  EXPECT_FALSE(own::index_select(x, 1, at::tensor({0L}, at::kLong)));
  EXPECT_FALSE(own::index_select(x, 0, at::tensor({0}, at::kInt)));
  EXPECT_FALSE(own::index_copy_(changed, 0, at::tensor({0L}, at::kLong), numbers({1, 3})));
  EXPECT_TRUE(changed.equal(x));
}

}  // namespace
}  // namespace gausscse
