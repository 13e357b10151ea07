#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "model/matmul/cuda/matmuls.hpp"
#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A linear layer with 3 inputs and 4 outputs, its bias behind its weight, and five rows.
class CudaMatrixProductsTest : public testing::TestWithParam<Precision> {
 protected:
  CudaMatrixProductsTest() {
    at::manual_seed(7);
    parameters = at::randn({16}, gpu);
    products = std::make_unique<CudaMatmuls>(parameters, GetParam());
    x = at::randn({5, 3}, gpu).to(products->product_type());
    grad = at::randn({5, 4}, gpu).to(products->product_type());
  }
  ~CudaMatrixProductsTest() override { cublaslt_on_cpu::behaviour() = {}; }

  at::Tensor weight() const { return parameters.narrow(0, 0, 12).view({4, 3}); }
  at::Tensor grad_weight() const { return gradients.narrow(0, 0, 12).view({4, 3}); }
  at::Tensor grad_bias() const { return gradients.narrow(0, 12, 4); }
  Matmuls::Factor prepared(const at::Tensor& rows, int slot) { return products->prepare(rows, {offsets, 1}, slot); }
  void add_gradients(const at::Tensor& of) {
    products->weight_gradient(prepared(of, 0), prepared(x, 1), grad_weight(), grad_bias());
  }
  void expect_gradients(double times) const {
    expect_near(grad_weight(), times * doubles(grad).t().mm(doubles(x)));
    expect_near(grad_bias(), times * doubles(grad).sum(0));
  }
  static at::Tensor doubles(const at::Tensor& values) { return values.cpu().to(at::kDouble); }
  void expect_near(const at::Tensor& found, const at::Tensor& expected, double bound = 1e-5) const {
    EXPECT_LE((doubles(found) - expected).abs().max().item<double>(), bound);
  }

  const std::int64_t offsets[2] = {0, 5};
  at::Tensor parameters, gradients = at::full({16}, 5, gpu).to(at::kFloat), x, grad;
  std::unique_ptr<CudaMatmuls> products;
};

INSTANTIATE_TEST_SUITE_P(Precisions, CudaMatrixProductsTest, testing::Values(Precision::full, Precision::bfloat16),
                         [](const auto& of) { return of.param == Precision::full ? "full" : "bfloat16"; });

TEST_P(CudaMatrixProductsTest, AreThoseOfFloat64) {
  const at::Tensor factor = weight().to(products->product_type());
  const at::Tensor bias = at::randn({4}, gpu), out = at::empty({5, 4}, gpu), grad_x = at::empty({5, 3}, gpu);
  products->forward(prepared(x, 0), weight(), out, bias);
  expect_near(out, doubles(x).mm(doubles(factor).t()) + doubles(bias));
  products->input_gradient(prepared(grad, 0), weight(), grad_x);
  expect_near(grad_x, doubles(grad).mm(doubles(factor)));
}

TEST_P(CudaMatrixProductsTest, WriteTheFirstGradientsAndAddTheNext) {
  for (int backward = 0; backward < 2; ++backward) {
    // Values that are not finite must not come through.
    grad_weight().fill_(NAN);
    products->clear_gradients(gradients);
    const std::int64_t with_sums = cublaslt_on_cpu::counts().with_sums;
    add_gradients(grad);
    expect_gradients(1);
    EXPECT_EQ(cublaslt_on_cpu::counts().with_sums - with_sums, 1);
    add_gradients(grad);
    expect_gradients(2);
    EXPECT_EQ(cublaslt_on_cpu::counts().with_sums - with_sums, 1) << "a sum of rows would not be added";
  }
}

TEST_P(CudaMatrixProductsTest, SumColumnsWhereTheLibraryDoesNot) {
  cublaslt_on_cpu::behaviour().sums_columns = false;
  products->clear_gradients(gradients);
  for (int piece = 1; piece < 3; ++piece) {
    add_gradients(grad);
    expect_gradients(piece);
  }
}

/// A bias sums the gradient of its layer, not the one rounded for the matmul.
TEST_P(CudaMatrixProductsTest, SumColumnsOfWhatWasNotRounded) {
  const at::Tensor exact = at::randn({5, 4}, gpu);
  products->clear_gradients(gradients);
  add_gradients(exact);
  expect_near(grad_bias(), doubles(exact).sum(0), 1e-6);
  expect_near(grad_weight(), doubles(exact.to(products->product_type())).t().mm(doubles(x)));
}

TEST_P(CudaMatrixProductsTest, AddToGradientsThatWereNotCleared) {
  add_gradients(grad);
  expect_near(grad_weight(), doubles(grad).t().mm(doubles(x)) + 5);
  expect_near(grad_bias(), doubles(grad).sum(0) + 5);
}

TEST_P(CudaMatrixProductsTest, AreZeroWhereABackwardComputesNone) {
  products->clear_gradients(gradients);
  add_gradients(grad);
  products->finish_gradients(0);
  expect_gradients(1);
  products->clear_gradients(gradients);
  products->finish_gradients(0);
  EXPECT_TRUE(gradients.eq(0).all().item<bool>());
}

TEST_P(CudaMatrixProductsTest, RoundTheParametersAfterEachChange) {
  if (GetParam() == Precision::full) {
    EXPECT_FALSE(products->rounded_parameters().defined());
    return;
  }
  EXPECT_TRUE(products->rounded_parameters().equal(parameters.to(at::kBFloat16)));
  parameters.mul_(3);
  products->parameters_changed();
  EXPECT_TRUE(products->for_another_thread()->rounded_parameters().equal(parameters.to(at::kBFloat16)));
}

}  // namespace
}  // namespace gausscse
