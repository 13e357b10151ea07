#pragma once

#include <ATen/ATen.h>

#include <array>
#include <bit>
#include <memory>
#include <random>

#include "tests/support/testing.hpp"

// The tensors of programs without LibTorch have its names. Here they are own_at's.
#define at own_at
#define c10 own_c10
#include "model/tensor/tensor.hpp"
#undef at
#undef c10

namespace gausscse {

/// Returns our tensor of the same memory, sizes and strides. `theirs` must live as long.
inline own_at::Tensor own(const at::Tensor& theirs) {
  static const std::map<at::ScalarType, own_at::ScalarType> types = {
      {at::kByte, own_at::kByte},         {at::kChar, own_at::kChar},   {at::kInt, own_at::kInt},
      {at::kLong, own_at::kLong},         {at::kFloat, own_at::kFloat}, {at::kDouble, own_at::kDouble},
      {at::kBFloat16, own_at::kBFloat16}, {at::kBool, own_at::kBool}};
  auto* const begin = static_cast<char*>(theirs.storage().mutable_data());
  return own_at::Tensor(std::make_shared<own_at::Storage>(nullptr, begin, theirs.storage().nbytes()),
                        types.at(theirs.scalar_type()), theirs.sizes().vec(), theirs.strides().vec(),
                        theirs.storage_offset());
}

/// Returns LibTorch's tensor with a copy of our elements.
inline at::Tensor theirs(const own_at::Tensor& own) {
  static const std::map<own_at::ScalarType, at::ScalarType> types = {
      {own_at::kByte, at::kByte},         {own_at::kChar, at::kChar},   {own_at::kInt, at::kInt},
      {own_at::kLong, at::kLong},         {own_at::kFloat, at::kFloat}, {own_at::kDouble, at::kDouble},
      {own_at::kBFloat16, at::kBFloat16}, {own_at::kBool, at::kBool}};
  const own_at::Tensor rows = own.contiguous();
  at::Tensor made = at::empty(rows.sizes().vec(), types.at(rows.scalar_type()));
  if (rows.numel() > 0) std::memcpy(made.mutable_data_ptr(), rows.const_data_ptr(), rows.nbytes());
  return made;
}

/// Expects our tensor to have LibTorch's sizes and type, and its values to `tolerance` of the largest; 0: bit by bit.
inline void expect_equal(const own_at::Tensor& own, const at::Tensor& expected, double tolerance = 0) {
  const at::Tensor found = theirs(own);
  ASSERT_EQ(found.sizes(), expected.sizes());
  ASSERT_EQ(found.scalar_type(), expected.scalar_type());
  if (found.numel() == 0) return;
  const at::Tensor a = found.to(at::kDouble), b = expected.to(at::kDouble);
  EXPECT_TRUE(at::allclose(a, b, tolerance,
                           tolerance * std::max(1e-30, b.abs().nan_to_num(0, 0, 0).max().item<double>()), true))
      << found << "\nexpected\n"
      << expected;
}

/// Returns elements that differ, some of them alike, of both signs where the type has them.
inline at::Tensor numbers(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const at::Tensor values = at::arange(count, at::kDouble).mul(37).remainder(101).mul(0.173).sub(8.1);
  return (type == at::kBool ? values.gt(0) : type == at::kByte ? values.abs().to(type) : values.to(type)).view(sizes);
}

/// Returns matrices of one size in all layouts: by rows, parts of wider rows, transposed, every second row, one row
/// often.
inline std::vector<at::Tensor> matrices(std::int64_t rows, std::int64_t columns, at::ScalarType type = at::kFloat) {
  return {numbers({rows, columns}, type), numbers({rows, columns + 3}, type).narrow(1, 2, columns),
          numbers({columns, rows}, type).t(), numbers({2 * rows, columns}, type).slice(0, 1, std::nullopt, 2),
          numbers({columns}, type).expand({rows, columns})};
}

}  // namespace gausscse
