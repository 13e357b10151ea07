#include "model/kernels/cuda/gate.cuh"

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using kernels::Activation;

/// Rows and columns of less than a block, of whole blocks, and of more.
struct Shape {
  std::int64_t rows, width;
};
const Shape shapes[] = {{0, 5}, {1, 1}, {3, 128}, {5, 130}, {2, 300}};

TEST(CudaGate, IsThatOfTheCpu) {
  for_each_type([]<typename T, typename Factor, typename Other, typename OtherFactor>() {
    for (const Shape& shape : shapes)
      for (const Activation activation : {Activation::gelu, Activation::silu}) {
        const std::int64_t rows = shape.rows, width = shape.width;
        SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(width));
        ArrayList forward, backward;
        forward.factor("x", rows * 2 * width, 9).written_factor("out", rows * width);
        expect_same<T, Factor, Other, OtherFactor>(
            forward, kernels::kernel_table<Other, OtherFactor>().gate, kernels::cuda::gate<T, Factor>,
            [&](auto& a, const auto& kernel) { kernel(activation, a.factor("x"), rows, width, a.factor("out")); });
        backward.factor("grad", rows * width).factor("x", rows * 2 * width, 9);
        backward.written_factor("gradient of x", rows * 2 * width).written_factor("out", rows * width);
        expect_same<T, Factor, Other, OtherFactor>(backward, kernels::kernel_table<Other, OtherFactor>().gate_backward,
                                                   kernels::cuda::gate_backward<T, Factor>,
                                                   [&](auto& a, const auto& kernel) {
                                                     kernel(activation, a.factor("grad"), a.factor("x"), rows, width,
                                                            a.factor("gradient of x"), a.factor("out"));
                                                   });
      }
  });
}

TEST(CudaRotate, IsThatOfTheCpu) {
  constexpr std::int64_t longest = 5;
  for_each_type([]<typename T, typename Factor, typename Other, typename OtherFactor>() {
    for (const auto& [rows, heads, head_size] :
         {std::tuple<std::int64_t, std::int64_t, std::int64_t>{0, 1, 2}, {4, 3, 10}, {7, 24, 64}})
      for (const double direction : {1.0, -1.0}) {
        const kernels::RotatedColumns columns{rows, heads * head_size + 9, 4, heads, head_size};
        std::vector<std::uint32_t> positions;
        for (std::int64_t row = 0; row < rows; ++row)
          positions.push_back(static_cast<std::uint32_t>(3 * row % longest));
        ArrayList arrays;
        arrays.written_factor("x", rows * columns.stride).value("angles", longest * head_size);
        expect_same<T, Factor, Other, OtherFactor>(
            arrays, kernels::kernel_table<Other, OtherFactor>().rotate, kernels::cuda::rotate<T, Factor>,
            [&, head_columns = columns](auto& a, const auto& kernel) {
              kernel(a.factor("x"), head_columns, a.value("angles"), positions.data(), direction);
            });
      }
  });
}

}  // namespace
}  // namespace gausscse
