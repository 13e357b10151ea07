#include "model/matmul/cuda/cublaslt.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include "model/device/device_memory.hpp"
#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Uses the library as it usually is, and leaves it so.
class CublasLtTest : public testing::Test {
 protected:
  CublasLtTest() { at::manual_seed(5); }
  ~CublasLtTest() override { library_.reset(), cublaslt_on_cpu::behaviour() = {}; }

  CublasLt& library() { return *library_; }
  /// Returns the number of times that `work` asks the library for an algorithm.
  template <typename Work>
  std::int64_t questions(const Work& work) {
    const std::int64_t before = cublaslt_on_cpu::counts().questions;
    work();
    return cublaslt_on_cpu::counts().questions - before;
  }
  void multiply(std::int64_t rows, std::int64_t depth, std::int64_t columns) {
    const at::Tensor a = at::randn({rows, depth}, gpu), b = at::randn({depth, columns}, gpu);
    const at::Tensor out = at::empty({rows, columns}, gpu);
    EXPECT_TRUE(library().multiply(a, b, out, {}));
    expect_near(out, a.cpu().to(at::kDouble).mm(b.cpu().to(at::kDouble)), 1e-5);
  }
  static void expect_near(const at::Tensor& found, const at::Tensor& expected, double bound) {
    ASSERT_EQ(found.sizes(), expected.sizes());
    if (found.numel() == 0) return;
    EXPECT_LE(((found.cpu().to(at::kDouble) - expected) / expected.abs().clamp_min(1)).abs().max().item<double>(),
              bound);
  }

 private:
  std::unique_ptr<CublasLt> library_ = std::make_unique<CublasLt>();
};

/// Returns a random matrix whose rows, or columns if `transposed`, are contiguous, with gaps between them.
at::Tensor matrix(std::int64_t rows, std::int64_t columns, bool transposed, at::ScalarType type) {
  const at::Tensor wide = transposed ? at::randn({columns, rows + 3}) : at::randn({rows, columns + 3});
  const at::Tensor part = wide.to(type).to(gpu).narrow(1, 2, transposed ? rows : columns);
  return transposed ? part.t() : part;
}

TEST_F(CublasLtTest, MultipliesAsFloat64Does) {
  for (const auto& [rows, depth, columns] :
       {std::tuple{1, 1, 1}, {5, 1, 3}, {1, 7, 4}, {3, 5, 1}, {33, 70, 17}, {130, 65, 48}})
    for (const bool a_transposed : {false, true})
      for (const bool b_transposed : {false, true})
        for (const auto& [from, to] :
             {std::pair(at::kFloat, at::kFloat), {at::kBFloat16, at::kFloat}, {at::kBFloat16, at::kBFloat16}})
          for (const bool accumulate : {false, true}) {
            SCOPED_TRACE(concat(rows, " x ", depth, " x ", columns, ' ', a_transposed, b_transposed, ' ', from, " to ",
                                to, ", accumulate ", accumulate));
            const at::Tensor a = matrix(rows, depth, a_transposed, from),
                             b = matrix(depth, columns, b_transposed, from);
            const at::Tensor wide = at::full({rows, columns + 2}, 3.0, gpu).to(to), out = wide.narrow(1, 1, columns);
            ASSERT_TRUE(library().multiply(a, b, out, {.accumulate = accumulate}));
            const at::Tensor expected = a.cpu().to(at::kDouble).mm(b.cpu().to(at::kDouble)) + (accumulate ? 3 : 0);
            expect_near(out, expected, to == at::kFloat ? 1e-5 : 1.0 / 256);
            EXPECT_TRUE(wide.select(1, 0).eq(3).all().item<bool>() &&
                        wide.select(1, columns + 1).eq(3).all().item<bool>());
          }
}

TEST_F(CublasLtTest, SumsTheRowsOfTheFirstFactor) {
  for (const bool transposed : {false, true}) {
    const at::Tensor a = matrix(33, 70, transposed, at::kBFloat16), b = matrix(70, 17, false, at::kBFloat16);
    const at::Tensor out = at::empty({33, 17}, gpu), sums = at::empty({33}, gpu);
    ASSERT_TRUE(library().multiply(a, b, out, {.row_sums = sums}));
    expect_near(out, a.cpu().to(at::kDouble).mm(b.cpu().to(at::kDouble)), 1e-5);
    expect_near(sums, a.cpu().to(at::kDouble).sum(1), 1e-5);
  }
}

TEST_F(CublasLtTest, ReportsThatItCannotSum) {
  cublaslt_on_cpu::behaviour().sums_columns = false;
  const at::Tensor a = at::randn({4, 6}, gpu), b = at::randn({6, 5}, gpu), out = at::full({4, 5}, 3.0, gpu);
  const at::Tensor sums = at::full({4}, 3.0, gpu);
  const auto asked = questions([&] {
    for (int repeat = 0; repeat < 3; ++repeat) EXPECT_FALSE(library().multiply(a, b, out, {.row_sums = sums}));
  });
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(out.eq(3).all().item<bool>() && sums.eq(3).all().item<bool>());
}

TEST_F(CublasLtTest, ThrowsWhereItCannotMultiply) {
  cublaslt_on_cpu::behaviour().multiplies = false;
  try {
    multiply(4, 6, 5);
    ADD_FAILURE();
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("4 x 6 and one of 6 x 5"), std::string::npos) << error.what();
  }
}

TEST_F(CublasLtTest, ThrowsWhatTheLibraryReportsOfTheSizesThatItWasAskedFor) {
  constexpr int alloc_failed = 3, invalid_value = 7, execution_failed = 13;
  for (const int status : {alloc_failed, invalid_value, execution_failed}) {
    cublaslt_on_cpu::behaviour() = {.failure = status};
    try {
      multiply(40, 6, 5);
      ADD_FAILURE() << status;
    } catch (const SystemError& error) {
      EXPECT_EQ(ops::is_memory_refused(error), status == alloc_failed) << error.what();
      EXPECT_EQ(std::string(error.what()).find("no algorithm"), std::string::npos) << error.what();
    }
  }
}

TEST_F(CublasLtTest, IsEmptyWhereAFactorIs) {
  multiply(0, 3, 2);
  const at::Tensor out = at::full({2, 3}, 3.0, gpu), sums = at::full({2}, 3.0, gpu), none = at::empty({2, 0}, gpu);
  EXPECT_TRUE(library().multiply(none, at::empty({0, 3}, gpu), out, {.accumulate = true}));
  EXPECT_TRUE(out.eq(3).all().item<bool>());
  EXPECT_TRUE(library().multiply(none, at::empty({0, 3}, gpu), out, {.row_sums = sums}));
  EXPECT_TRUE(out.eq(0).all().item<bool>() && sums.eq(0).all().item<bool>());
}

/// Sizes up to 15 have an algorithm each, then eight buckets for each power of two.
TEST_F(CublasLtTest, AsksOnceForABucketOfRows) {
  EXPECT_EQ(questions([&] { multiply(3264, 6, 5); }), 1);
  for (const std::int64_t rows : {3328, 3073, 3200}) EXPECT_EQ(questions([&] { multiply(rows, 6, 5); }), 0) << rows;
  EXPECT_EQ(questions([&] { multiply(3329, 6, 5); }), 1);
  EXPECT_EQ(questions([&] { multiply(14, 6, 5), multiply(15, 6, 5); }), 2);
  EXPECT_EQ(questions([&] { multiply(17, 6, 5), multiply(18, 6, 5); }), 1);
}

/// Sizes along which a matrix is contiguous have an algorithm each.
TEST_F(CublasLtTest, AsksForEachContiguousSize) {
  EXPECT_EQ(questions([&] { multiply(3264, 60, 5), multiply(3264, 61, 5), multiply(3264, 60, 6); }), 3);
  const auto sum_over_rows = [&](std::int64_t tokens, std::int64_t width) {
    const at::Tensor a = at::randn({tokens, width}, gpu), b = at::randn({tokens, 7}, gpu),
                     out = at::empty({width, 7}, gpu);
    ASSERT_TRUE(library().multiply(a.t(), b, out, {}));
    expect_near(out, a.cpu().to(at::kDouble).t().mm(b.cpu().to(at::kDouble)), 1e-3);
  };
  EXPECT_EQ(questions([&] { sum_over_rows(3264, 60), sum_over_rows(3100, 60); }), 1);
  EXPECT_EQ(questions([&] { sum_over_rows(3264, 61); }), 1);
}

/// Each of these could make another algorithm the best, or refuse the one that is known.
TEST_F(CublasLtTest, AsksForEachKindOfMatmul) {
  const at::Tensor a = at::randn({16, 16}, gpu), b = at::randn({16, 16}, gpu), out = at::empty({16, 16}, gpu);
  const at::Tensor sums = at::empty({64}, gpu), wide = at::randn({16, 320}, gpu);
  const auto asked = [&](const at::Tensor& left, const at::Tensor& right, const at::Tensor& to,
                         const CublasLt::Options& options) {
    const std::int64_t first = questions([&] { EXPECT_TRUE(library().multiply(left, right, to, options)); });
    EXPECT_EQ(questions([&] { EXPECT_TRUE(library().multiply(left, right, to, options)); }), 0);
    return first;
  };
  EXPECT_EQ(asked(a, b, out, {}), 1);
  EXPECT_EQ(asked(a.t(), b, out, {}), 1);
  EXPECT_EQ(asked(a, b.t(), out, {}), 1);
  EXPECT_EQ(asked(a, b, out, {.accumulate = true}), 1);
  EXPECT_EQ(asked(a, b, out, {.row_sums = sums.narrow(0, 0, 16)}), 1);
  EXPECT_EQ(asked(a, b, out, {.row_sums = sums.narrow(0, 1, 16)}), 1) << "it is aligned to 4 bytes alone";
  EXPECT_EQ(asked(wide.narrow(1, 0, 16), b, out, {}), 1);
  EXPECT_EQ(asked(wide.narrow(1, 4, 16), b, out, {}), 1);
  EXPECT_EQ(asked(wide.narrow(1, 128, 16), b, out, {}), 0) << "it is as well aligned as the first";
  EXPECT_EQ(asked(a, wide.narrow(1, 0, 16), out, {}), 1);
  EXPECT_EQ(asked(a, wide.narrow(1, 4, 16), out, {}), 1);
  EXPECT_EQ(asked(a, b, wide.narrow(1, 0, 16), {}), 1);
  EXPECT_EQ(asked(a, b, wide.narrow(1, 4, 16), {}), 1);
  const at::Tensor a2 = a.to(at::kBFloat16), b2 = b.to(at::kBFloat16);
  EXPECT_EQ(asked(a2, b2, out, {}), 1);
  EXPECT_EQ(asked(a2, b2, at::empty_like(a2), {}), 1);
}

TEST_F(CublasLtTest, AsksForSizesThatTheAlgorithmOfTheirBucketRefuses) {
  cublaslt_on_cpu::behaviour().takes_only_asked_sizes = true;
  EXPECT_EQ(questions([&] { multiply(3264, 6, 5); }), 2);
  EXPECT_EQ(questions([&] { multiply(3264, 6, 5); }), 0);
  EXPECT_EQ(questions([&] { multiply(3328, 6, 5); }), 0) << "it is the end of the bucket";
  const at::Tensor a = at::randn({3264, 9}, gpu), b = at::randn({3264, 6}, gpu), out = at::empty({9, 6}, gpu),
                   sums = at::empty({9}, gpu);
  EXPECT_TRUE(library().multiply(a.t(), b, out, {.row_sums = sums}));
  expect_near(sums, a.cpu().to(at::kDouble).sum(0), 1e-3);
}

TEST_F(CublasLtTest, TakesNoMemoryWhereNoneIsNeeded) {
  cublaslt_on_cpu::behaviour().workspace = 0;
  multiply(4, 6, 5);
}

TEST_F(CublasLtTest, RefusesWhatDoesNotFit) {
  const auto floats = [](std::int64_t rows, std::int64_t columns) { return at::empty({rows, columns}, gpu); };
  const at::Tensor short_factor = floats(2, 3).to(at::kBFloat16);
  EXPECT_THROW(library().multiply(floats(2, 3), floats(4, 5), floats(2, 5), {}), std::logic_error);
  EXPECT_THROW(library().multiply(floats(2, 3), floats(3, 5), floats(3, 5), {}), std::logic_error);
  EXPECT_THROW(library().multiply(floats(2, 3), floats(3, 5), floats(2, 4), {}), std::logic_error);
  EXPECT_THROW(library().multiply(short_factor, floats(3, 5), floats(2, 5), {}), std::logic_error);
  EXPECT_THROW(library().multiply(floats(2, 3), floats(3, 5), floats(2, 5).to(at::kBFloat16), {}), std::logic_error);
  EXPECT_THROW(library().multiply(floats(2, 3), floats(3, 5), floats(5, 2).t(), {}), std::logic_error);
  EXPECT_THROW(library().multiply(floats(2, 3), floats(3, 5), floats(2, 5), {.row_sums = at::empty({3}, gpu)}),
               std::logic_error);
  const at::Tensor wide = at::empty({2, 6, 2}, gpu);
  EXPECT_THROW(library().multiply(wide.select(2, 0), floats(6, 5), floats(2, 5), {}), std::logic_error);
}

TEST(CublasLtObjects, EndWithTheLibrary) {
  const std::size_t before = cublaslt_on_cpu::live_objects();
  {
    CublasLt library;
    const at::Tensor a = at::randn({3, 3}, gpu), out = at::empty({3, 3}, gpu), sums = at::empty({3}, gpu);
    EXPECT_TRUE(library.multiply(a, a, out, {.row_sums = sums}));
    EXPECT_EQ(cublaslt_on_cpu::live_objects(), before + 1);
  }
  EXPECT_EQ(cublaslt_on_cpu::live_objects(), before);
}

}  // namespace
}  // namespace gausscse
