#include "model/mean_of_vectors.hpp"

#include <ATen/ops/tensor.h>

#include "model/sentence_encoder.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::vector<float> row_of(const at::Tensor& rows, std::int64_t i) {
  const float* row = rows.const_data_ptr<float>() + i * rows.size(1);
  return {row, row + rows.size(1)};
}

/// Returns the rows of a table [ids, width].
MeanOfVectors mean_of(const std::vector<float>& vectors, std::size_t width) {
  return {[&vectors, width](std::uint32_t id) { return std::span(vectors).subspan(id * width, width); },
          static_cast<std::int64_t>(width)};
}

TEST(MeanOfVectors, IsTheMeanOfTheTokensRows) {
  const std::vector<float> vectors{1, 2, 3, 10, 20, 30, -4, 0, 4, 0.5f, 0.25f, -1};
  MeanOfVectors model = mean_of(vectors, 3);
  EXPECT_EQ(model.width(), 3);
  EXPECT_EQ(encoder_of(model), nullptr);
  EXPECT_EQ(model.options().dtype(), at::kFloat);
  const auto embedder = model.make_batch_embedder();
  const std::vector<std::uint32_t> ids{0, 1, 2, 2, 2, 3}, offsets{0, 2, 2, 5, 6};
  const at::Tensor means = embedder->embed(model.pack(ids, offsets));
  ASSERT_EQ(means.sizes(), (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(row_of(means, 0), (std::vector<float>{5.5f, 11, 16.5f}));
  EXPECT_EQ(row_of(means, 1), (std::vector<float>{0, 0, 0}));  // no token
  EXPECT_EQ(row_of(means, 2), (std::vector<float>{-4, 0, 4}));
  EXPECT_EQ(row_of(means, 3), (std::vector<float>{0.5f, 0.25f, -1}));
}

/// In float32 the small ones would be lost.
TEST(MeanOfVectors, IsSummedInDoublePrecision) {
  const std::vector<float> vectors{1e8f, 1.0f, -1e8f};
  MeanOfVectors model = mean_of(vectors, 1);
  const std::vector<std::uint32_t> ids{0, 1, 1, 1, 2}, offsets{0, 5};
  EXPECT_EQ(row_of(model.make_batch_embedder()->embed(model.pack(ids, offsets)), 0), std::vector<float>{0.6f});
}

TEST(MeanOfVectors, IsMadeOfWholeRows) {
  const std::vector<float> vectors(5);
  EXPECT_THROW(mean_of(vectors, 0), std::logic_error);
  MeanOfVectors model([&](std::uint32_t) { return std::span(vectors); }, 4);
  const std::vector<std::uint32_t> ids{0}, offsets{0, 1};
  EXPECT_THROW(model.make_batch_embedder()->embed(model.pack(ids, offsets)), std::logic_error);
}

}  // namespace
}  // namespace gausscse
