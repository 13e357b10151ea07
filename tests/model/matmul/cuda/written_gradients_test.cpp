#include "model/matmul/cuda/written_gradients.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Gradients of twelve elements, each 5 before a backward, on which parts are written as matmuls do.
class WrittenGradientsTest : public testing::Test {
 protected:
  void clear() { gradients.fill_(5), written.clear(gradients); }
  at::Tensor part(std::int64_t begin, std::int64_t rows, std::int64_t columns) {
    return gradients.narrow(0, begin, rows * columns).view({rows, columns});
  }
  bool write(std::int64_t begin, std::int64_t rows, std::int64_t columns) {
    return written.is_first(part(begin, rows, columns));
  }
  void expect(const std::vector<float>& values) { EXPECT_TRUE(gradients.equal(at::tensor(values))) << gradients; }

  at::Tensor gradients = at::full({12}, 5, at::kFloat);
  WrittenGradients written;
};

TEST_F(WrittenGradientsTest, AreZeroBeforeTheFirstBackward) {
  clear();
  expect({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_F(WrittenGradientsTest, AFirstMatmulWritesAndTheNextAdds) {
  EXPECT_FALSE(write(2, 2, 2)) << "nothing was cleared";
  for (int backward = 0; backward < 2; ++backward) {
    clear();
    EXPECT_TRUE(write(2, 2, 2));
    EXPECT_FALSE(write(2, 2, 2));
    EXPECT_TRUE(write(6, 1, 3));
    EXPECT_FALSE(write(6, 1, 3));
    EXPECT_FALSE(written.is_first(at::full({2, 2}, 5, at::kFloat))) << "of other gradients";
  }
}

TEST_F(WrittenGradientsTest, AreNotZeroedWhereTheLastBackwardWrote) {
  clear();
  write(2, 2, 2), write(8, 1, 3);
  clear();
  expect({0, 0, 5, 5, 5, 5, 0, 0, 5, 5, 5, 0});
  // Neighbours, and both ends.
  write(0, 1, 2), write(2, 1, 3), write(10, 1, 2), write(5, 1, 1);
  clear();
  expect({5, 5, 5, 5, 5, 5, 0, 0, 0, 0, 5, 5});
  clear();
  expect({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_F(WrittenGradientsTest, AreZeroAfterABackwardThatDoesNotWriteThemAgain) {
  clear();
  write(1, 2, 2), write(5, 1, 2), write(8, 1, 4);
  clear();
  EXPECT_TRUE(write(8, 1, 2));
  written.finish(6);
  expect({0, 5, 5, 5, 5, 5, 0, 0, 5, 5, 0, 0});
  gradients.narrow(0, 6, 6).fill_(7);
  written.finish(0);
  expect({0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7});
  EXPECT_TRUE(write(1, 2, 2)) << "zeros may be written over";
  gradients.fill_(7), written.finish(0);
  expect({7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  clear();
  expect({0, 5, 5, 5, 5, 0, 0, 0, 5, 5, 0, 0});
}

TEST_F(WrittenGradientsTest, MayBeWrittenInOtherPartsThanInTheLastBackward) {
  clear();
  write(0, 3, 2), write(6, 1, 6);
  clear();
  EXPECT_TRUE(write(2, 1, 2)) << "in the middle";
  EXPECT_TRUE(write(5, 1, 3)) << "over both";
  written.finish(0);
  expect({0, 0, 5, 5, 0, 5, 5, 5, 0, 0, 0, 0});
}

TEST_F(WrittenGradientsTest, AreWholeOrNotWrittenAtAll) {
  clear();
  write(2, 2, 2);
  EXPECT_FALSE(write(3, 1, 2)) << "a part of it has been written";
  EXPECT_THROW(write(1, 1, 2), std::logic_error);
  EXPECT_THROW(write(4, 1, 4), std::logic_error);
  EXPECT_THROW(written.is_first(gradients.view({3, 4}).narrow(1, 2, 2)), std::logic_error);
}

TEST_F(WrittenGradientsTest, OfAnotherTensorAreAllZeroed) {
  clear();
  write(2, 2, 2);
  gradients = at::full({12}, 5, at::kFloat);
  written.clear(gradients);
  expect({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

}  // namespace
}  // namespace gausscse
