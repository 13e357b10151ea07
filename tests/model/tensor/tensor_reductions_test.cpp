#include "tests/model/tensor/own_tensor.hpp"

namespace gausscse {
namespace {

TEST(OwnTensor, SumsAndLargestAreLibtorchs) {
  const at::Tensor cube = numbers({4, 300, 5}).narrow(1, 7, 290);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor x = cube.to(type);
    const own_at::Tensor y = own(x);
    const double tolerance = type == at::kFloat ? 1e-6 : 1e-14;
    expect_equal(y.sum(), x.sum(), tolerance);
    expect_equal(y.mean(), x.mean(), tolerance);
    expect_equal(y.max(), x.max());
    expect_equal(y.argmax(), x.argmax());
    for (const std::int64_t dimension : {0, 1, -1})
      for (const bool keep : {false, true}) {
        expect_equal(y.sum({dimension}, keep), x.sum({dimension}, keep), tolerance);
        expect_equal(y.mean({dimension}, keep), x.mean({dimension}, keep), tolerance);
        expect_equal(y.amax({dimension}, keep), x.amax({dimension}, keep));
        expect_equal(y.argmax(dimension, keep), x.argmax(dimension, keep));
        expect_equal(y.var(dimension, true, keep), x.var(dimension, true, keep), tolerance);
        expect_equal(y.var(dimension, false, keep), x.var(dimension, false, keep), tolerance);
        expect_equal(y.gt(-8).all(dimension, keep), x.gt(-8).all(dimension, keep));
        expect_equal(own_at::linalg_vector_norm(y, 2, {dimension}, keep), at::linalg_vector_norm(x, 2, dimension, keep),
                     tolerance);
      }
    expect_equal(y.sum({0, 2}), x.sum(at::IntArrayRef{0, 2}), tolerance);
    expect_equal(y.log_softmax(1), x.log_softmax(1), tolerance);
    expect_equal(y.log_softmax(-1), x.log_softmax(-1), tolerance);
  }
  expect_equal(own(cube).sum({1}, false, own_at::kDouble), cube.sum({1}, false, at::kDouble), 1e-14);
  expect_equal(own_at::linalg_vector_norm(own(cube), 2, {1}, false, own_at::kDouble),
               at::linalg_vector_norm(cube, 2, 1, false, at::kDouble), 1e-14);
  const at::Tensor whole = numbers({5, 6}, at::kInt), flags = numbers({5, 6}, at::kBool);
  expect_equal(own(whole).sum({1}), whole.sum(1));
  expect_equal(own(flags).sum(), flags.sum());
  const at::Tensor with_nan = at::tensor({1.0, std::nan(""), 7.0}, at::kFloat);
  expect_equal(own(with_nan).max(), with_nan.max());
  expect_equal(own(with_nan).argmax(), with_nan.argmax());
  const at::Tensor nothing = at::zeros({0, 3});
  expect_equal(own(nothing).sum({0}), nothing.sum(0));
}

TEST(OwnTensor, RowsAndPlacesAreLibtorchs) {
  const at::Tensor index = at::tensor({4, 0, 4, 2}, at::kLong);
  for (const at::Tensor& x : matrices(6, 5)) {
    expect_equal(own(x).index_select(0, own(index)), x.index_select(0, index));
    expect_equal(own(x).index_select(1, own(index)), x.index_select(1, index));
    const at::Tensor places = at::tensor({1, 4, 2, 0, 3, 3}, at::kLong).view({6, 1});
    expect_equal(own(x).gather(1, own(places)), x.gather(1, places));
    expect_equal(own(x).gt(2).nonzero(), x.gt(2).nonzero());
    const at::Tensor unique = at::tensor({5, 1}, at::kLong), rows = numbers({2, 5}).mul(3);
    const at::Tensor copied = x.clone(), added = x.clone(), scattered = x.clone();
    own(copied).index_copy_(0, own(unique), own(rows));
    own(added).index_add_(0, own(index), own(numbers({4, 5})));
    own(scattered).scatter_add_(1, own(places), own(numbers({6, 1})));
    expect_equal(own(copied), x.index_copy(0, unique, rows));
    expect_equal(own(added), x.index_add(0, index, numbers({4, 5})), 1e-6);
    expect_equal(own(scattered), x.scatter_add(1, places, numbers({6, 1})), 1e-6);
  }
  const at::Tensor a = numbers({2, 3}), b = numbers({5, 3}).mul(2), c = numbers({2, 4});
  expect_equal(own_at::cat(std::vector{own(a), own(b)}), at::cat({a, b}));
  expect_equal(own_at::cat(std::vector{own(a), own(c)}, 1), at::cat({a, c}, 1));
  const at::Tensor tall = numbers({9000, 7});
  const at::Tensor many = at::arange(8999, -1, -1).mul(31).remainder(9000);
  expect_equal(own(tall).index_select(0, own(many)), tall.index_select(0, many));
}

TEST(OwnTensor, ProductsAreLibtorchs) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const double tolerance = type == at::kFloat ? 2e-6 : 1e-14;
    // Columns of one panel, past one, and of several; rows past a block of rows.
    for (const auto& [rows, depth, columns] : {std::array{1, 3, 1}, std::array{7, 16, 48}, std::array{203, 35, 101}})
      for (const at::Tensor& a : matrices(rows, depth, type))
        for (const at::Tensor& b : matrices(depth, columns, type)) {
          const at::Tensor expected = a.matmul(b);
          expect_equal(own(a).mm(own(b)), expected, tolerance);
          const at::Tensor out = numbers({rows, columns + 2}, type).narrow(1, 1, columns),
                           by_columns = numbers({columns, rows}, type).t();
          own_at::mm_out(own(out), own(a), own(b));
          own_at::mm_out(own(by_columns), own(a), own(b));
          expect_equal(own(out), expected, tolerance);
          expect_equal(own(by_columns), expected, tolerance);
          const at::Tensor bias = numbers({columns}, type), sum = numbers({rows, columns}, type);
          expect_equal(own_at::addmm(own(bias), own(a), own(b)), at::addmm(bias, a, b), tolerance);
          const at::Tensor in_place = sum.clone(), scaled = sum.clone();
          own_at::addmm_out(own(in_place), own(in_place), own(a), own(b));
          own(scaled).addmm_(own(a), own(b), 0.5, -2);
          expect_equal(own(in_place), at::addmm(sum, a, b), tolerance);
          expect_equal(own(scaled), at::addmm(sum, a, b, 0.5, -2), tolerance);
        }
    const at::Tensor left = numbers({300}, type), right = numbers({300}, type).mul(3).add(1),
                     square = numbers({300, 300}, type);
    expect_equal(own(left).dot(own(right)), left.dot(right), tolerance);
    expect_equal(own(left).matmul(own(square)), left.matmul(square), tolerance);
    expect_equal(own(square).matmul(own(left)), square.matmul(left), tolerance);
  }
  expect_equal(own_at::zeros({3, 0}).mm(own_at::zeros({0, 4})), at::zeros({3, 4}));
}

}  // namespace
}  // namespace gausscse
