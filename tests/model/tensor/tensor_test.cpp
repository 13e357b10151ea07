#include "tests/model/tensor/own_tensor.hpp"

// Functions are compared with LibTorch's of the same name, on tensors of all layouts and types.

namespace gausscse {
namespace {

constexpr auto all_types = {at::kFloat, at::kDouble, at::kBFloat16, at::kInt,
                            at::kLong,  at::kByte,   at::kChar,     at::kBool};
constexpr auto float_types = {at::kFloat, at::kDouble, at::kBFloat16};
/// Elements of a tensor that several threads compute.
constexpr std::int64_t many = 40'000;

/// Returns the tolerance of values that are computed in float32 or float64 and kept in a type.
double tolerance_of(at::ScalarType type) {
  return type == at::kDouble ? 1e-15 : type == at::kFloat ? 3e-7 : 8e-3;
}

TEST(OwnTensor, ViewsAreLibtorchs) {
  for (const at::Tensor& x : matrices(6, 4)) {
    const own_at::Tensor y = own(x);
    expect_equal(y.t(), x.t());
    expect_equal(y.transpose(-1, 0), x.transpose(-1, 0));
    expect_equal(y.select(0, -2), x.select(0, -2));
    expect_equal(y.select(1, 3), x.select(1, 3));
    expect_equal(y[2], x[2]);
    expect_equal(y.narrow(0, 2, 3), x.narrow(0, 2, 3));
    expect_equal(y.narrow(1, 4, 0), x.narrow(1, 4, 0));
    expect_equal(y.slice(1, -3, 9, 2), x.slice(1, -3, 9, 2));
    expect_equal(y.slice(0, 4, 1), x.slice(0, 4, 1));
    expect_equal(y.unsqueeze(1), x.unsqueeze(1));
    expect_equal(y.unsqueeze(-1), x.unsqueeze(-1));
    expect_equal(y.unsqueeze(0).squeeze(0), x);
    expect_equal(y.squeeze(1), x);
    expect_equal(y.unsqueeze(1).expand({-1, 3, 4}), x.unsqueeze(1).expand({-1, 3, 4}));
    expect_equal(y.expand({2, 6, 4}), x.expand({2, 6, 4}));
    expect_equal(y.reshape({3, -1}), x.reshape({3, -1}));
    expect_equal(y.flatten(), x.flatten());
    expect_equal(y.unsqueeze(0).flatten(0, 1), x.unsqueeze(0).flatten(0, 1));
    for (const std::int64_t offset : {-7, -2, 0, 1, 4}) expect_equal(y.diagonal(offset), x.diagonal(offset));
    EXPECT_EQ(y.is_contiguous(), x.is_contiguous());
    EXPECT_EQ(y.size(-1), x.size(-1));
    EXPECT_EQ(y.nbytes(), x.nbytes());
  }
  const at::Tensor x = numbers({4, 6});
  const own_at::Tensor y = own(x);
  expect_equal(y.view({2, 2, -1}), x.view({2, 2, -1}));
  expect_equal(y.as_strided({2, 3}, {1, 5}, 4), x.as_strided({2, 3}, {1, 5}, 4));
  expect_equal(y.view(own_at::kByte), x.view(at::kByte));
  expect_equal(y.view(own_at::kByte).narrow(1, 8, 8).contiguous().view(own_at::kFloat), x.narrow(1, 2, 2));
  expect_equal(y.narrow(0, 1, 2).view(own_at::kByte), x.narrow(0, 1, 2).view(at::kByte));
  // A view shares memory; an object's copy is the same tensor.
  own_at::Tensor part = y.select(0, 1), same = part;
  part.fill_(5);
  EXPECT_EQ(x[1][3].item<float>(), 5);
  EXPECT_TRUE(part.is_alias_of(y) && same.is_same(part) && !part.is_same(y));
  same.unsqueeze_(0);
  EXPECT_EQ(part.dim(), 2);
}

TEST(OwnTensor, MadeTensorsAreLibtorchs) {
  expect_equal(own_at::zeros({3, 0, 2}, own_at::kInt), at::zeros({3, 0, 2}, at::kInt));
  expect_equal(own_at::zeros({2'000'003}), at::zeros({2'000'003}));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own_at::zeros({2'000'003}).const_data_ptr()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own_at::empty({3}).const_data_ptr()) % 64, 0u);
  expect_equal(own_at::ones({2, 3}, own_at::kDouble), at::ones({2, 3}, at::kDouble));
  expect_equal(own_at::full({3}, -2.5, own_at::kBFloat16), at::full({3}, -2.5, at::kBFloat16));
  expect_equal(own_at::arange(3, 9), at::arange(3, 9));
  expect_equal(own_at::tensor(std::vector<double>{1.1, -2}, own_at::kDouble), at::tensor({1.1, -2.0}, at::kDouble));
  expect_equal(own_at::tensor(std::vector<std::int64_t>{1, 1ll << 40}),
               at::tensor(std::vector<std::int64_t>{1, 1ll << 40}, at::kLong));
  expect_equal(own_at::tril_indices(4, 3), at::tril_indices(4, 3));
  expect_equal(own_at::tril_indices(4, 4, -1), at::tril_indices(4, 4, -1));
  const at::Tensor x = numbers({2, 3}, at::kDouble);
  expect_equal(own_at::zeros_like(own(x)), at::zeros_like(x));
  expect_equal(own_at::full_like(own(x), 3), at::full_like(x, 3));
  expect_equal(own_at::ones_like(own(x)), at::ones_like(x));
  at::Generator generator = at::detail::createCPUGenerator(77);
  own_at::Generator own_generator = own_at::detail::createCPUGenerator(77);
  const own_at::Tensor drawn = own_at::empty({1000});
  drawn.uniform_(-0.3, 0.4, own_generator);
  // LibTorch's last step is one fused operation on some processors and two on others.
  expect_equal(drawn, at::empty({1000}).uniform_(-0.3, 0.4, generator), 1e-7);
}

TEST(OwnTensor, CopiesBringEveryTypeToEveryOther) {
  for (const at::ScalarType from : all_types)
    for (const at::ScalarType to : all_types)
      for (const at::Tensor& x : matrices(5, 7, from)) {
        // C++ does not say what a negative number is as a byte.
        if (to == at::kByte && from != at::kByte) continue;
        const at::Tensor made = at::empty({5, 7}, to);
        own(made).copy_(own(x));
        EXPECT_TRUE(made.equal(x.to(to))) << from << " " << to;
      }
  const at::Tensor x = numbers({300, 200});
  expect_equal(own(x.t()).clone(), x.t());
  expect_equal(own(x).to(own_at::kDouble), x.to(at::kDouble));
  const at::Tensor rows = at::zeros({3, 200});
  own(rows).copy_(own(x[7]));
  expect_equal(own(rows), x[7].expand({3, 200}));
  const at::Tensor rounded = at::tensor({1.00390625, 1.01171875, -3.4e38, std::nan(""), 1e-40}, at::kFloat);
  expect_equal(own(rounded).to(own_at::kBFloat16), rounded.to(at::kBFloat16));
}

TEST(OwnTensor, ElementsAreLibtorchs) {
  for (const at::ScalarType type : float_types) {
    const double tolerance = tolerance_of(type);
    for (const at::Tensor& x : matrices(5, 4, type)) {
      const own_at::Tensor y = own(x);
      expect_equal(y.neg(), x.neg());
      expect_equal(-y, -x);
      expect_equal(y.abs(), x.abs());
      expect_equal(y.sign(), x.sign());
      expect_equal(y.relu(), x.relu());
      expect_equal(y.square(), x.square(), tolerance);
      expect_equal(y.exp(), x.exp(), tolerance);
      expect_equal(y.abs().log(), x.abs().log(), tolerance);
      expect_equal(y.abs().sqrt(), x.abs().sqrt(), tolerance);
      expect_equal(y.tanh(), x.tanh(), tolerance);
      expect_equal(y.reciprocal(), x.reciprocal(), tolerance);
      expect_equal(y.clamp_min(1.5), x.clamp_min(1.5));
      expect_equal(y + 1.5, x + 1.5, tolerance);
      expect_equal(1.5 - y, 1.5 - x, tolerance);
      expect_equal(y * 3, x * 3, tolerance);
      expect_equal(y / 3, x / 3, tolerance);
      expect_equal(2.0 / y, 2.0 / x, tolerance);
      expect_equal(y.gt(1), x.gt(1));
      expect_equal(y.ne(0.5), x.ne(0.5));
      const at::Tensor one_row = numbers({4}, type).mul(2), one_column = numbers({5, 1}, type).sub(1);
      expect_equal(y + own(one_row), x + one_row, tolerance);
      expect_equal(y - own(one_column), x - one_column, tolerance);
      expect_equal(own(one_column) * own(one_row), one_column * one_row, tolerance);
      expect_equal(own(one_row) / y, one_row / x, tolerance);
      expect_equal(own_at::maximum(y, own(one_row)), at::maximum(x, one_row));
      expect_equal(y == own(one_row), x == one_row);
      expect_equal(y != own(one_column), x != one_column);
      expect_equal(own_at::where(y.gt(0), y, own(one_row)), at::where(x.gt(0), x, one_row));
      expect_equal(y.masked_fill(y.gt(0), -7), x.masked_fill(x.gt(0), -7));
    }
  }
}

TEST(OwnTensor, ElementsInPlaceAreLibtorchs) {
  const auto both = [](auto change) {
    at::Tensor x = numbers({6, 8}).narrow(1, 1, 5), y = x.clone();
    const own_at::Tensor in_place = own(y);
    change(in_place, [](const at::Tensor& tensor) { return own(tensor); });
    change(x, [](const at::Tensor& tensor) { return tensor; });
    expect_equal(own(y), x, 3e-7);
  };
  const at::Tensor row = numbers({5}).add(9), mask = row.gt(9);
  both([&](auto& x, auto of) { x.add_(of(row)); });
  both([&](auto& x, auto of) { x.add_(of(row), -0.5); });
  both([&](auto& x, auto of) { x.sub_(of(row)); });
  both([&](auto& x, auto of) { x.sub_(of(row), 3); });
  both([&](auto& x, auto of) { x.mul_(of(row)); });
  both([&](auto& x, auto of) { x.div_(of(row)); });
  both([&](auto& x, auto) { x.add_(2).sub_(0.25).mul_(3).div_(7); });
  both([&](auto& x, auto) { x.neg_().exp_().log_(); });
  both([&](auto& x, auto) { x.clamp_min_(0.5).sqrt_().tanh_().reciprocal_(); });
  both([&](auto& x, auto of) { x.masked_fill_(of(mask), 4); });
  both([&](auto& x, auto of) { x.add_(of(row.to(at::kDouble))); });
  at::Tensor wide = numbers({3, many}), copy = wide.clone();
  own(copy).mul_(own(wide[1]));
  expect_equal(own(copy), wide * wide[1].clone(), 3e-7);
}

TEST(OwnTensor, LogicIsLibtorchs) {
  const at::Tensor a = numbers({4, 5}, at::kBool), b = numbers({5}, at::kBool).logical_not();
  expect_equal(own(a).logical_and(own(b)), a.logical_and(b));
  expect_equal(own(a).logical_or(own(b)), a.logical_or(b));
  expect_equal(own(a).logical_not(), a.logical_not());
  const at::Tensor c = a.clone(), d = a.clone();
  own(c).logical_and_(own(b));
  own(d).logical_not_();
  expect_equal(own(c), a.logical_and(b));
  expect_equal(own(d), a.logical_not());
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor odd = at::tensor({1.0, -infinity, infinity, std::nan(""), -0.0}, at::kFloat);
  expect_equal(own(odd).isfinite(), odd.isfinite());
  const at::Tensor named = odd.clone(), usual = odd.clone();
  own(named).nan_to_num_(1, 2, 3);
  own(usual).nan_to_num_();
  expect_equal(own(named), odd.nan_to_num(1, 2, 3));
  expect_equal(own(usual), odd.nan_to_num());
  expect_equal(own_at::maximum(own(odd), own(odd.flip(0))), at::maximum(odd, odd.flip(0)));
}

TEST(OwnTensor, TypesJoinAsLibtorchsDo) {
  for (const at::ScalarType type : all_types)
    for (const at::ScalarType other : all_types) {
      if (at::promote_types(type, other) == at::kShort) continue;
      const at::Tensor x = numbers({3}, type).to(at::kDouble).abs().to(type), y = at::ones({3}, other);
      expect_equal(own(x) * own(y), x * y, 8e-3);
      expect_equal(own(x) * own(y[0]), x * y[0], 8e-3);
    }
  const at::Tensor whole = numbers({3}, at::kLong), single = numbers({3}, at::kFloat);
  expect_equal(own(whole) + 2, whole + 2);
  expect_equal(own(whole) * 0.5, whole * 0.5);
  expect_equal(own(whole) / 2, whole / 2);
  expect_equal(own(single) * 0.1, single * 0.1);
}

}  // namespace
}  // namespace gausscse
