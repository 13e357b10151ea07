#include <utility>

#include "tests/model/kernels/cuda/contrastive/contrastive_test.hpp"

namespace gausscse {
namespace {

TEST(CudaContrastiveDivision, PairsOfEightTilesAreHeldAtLeast) {
  EXPECT_EQ(kernels::cuda::most_pairs(512, 3), 4'194'304);
  EXPECT_EQ(kernels::cuda::most_pairs(65'536, 3), 8 * 64 * 65'536 * 3);
}

TEST(CudaContrastiveDivision, DimensionsAreDividedAmongBlocksOfFewPairs) {
  const auto divided = [](std::int64_t anchors, std::int64_t candidates, int terms, std::int64_t dimension) {
    const kernels::cuda::DimensionParts parts =
        kernels::cuda::divided_dimensions(anchors, candidates, terms, dimension, usual_blocks);
    return std::pair(parts.size, parts.count);
  };
  // 264 blocks at most, of whole steps of 8 dimensions.
  EXPECT_EQ(divided(64, 64, 3, 768), std::pair(16l, 48l));
  EXPECT_EQ(divided(65, 64, 3, 768), std::pair(24l, 32l));
  EXPECT_EQ(divided(1, 1, 1, 768), std::pair(8l, 96l));
  EXPECT_EQ(divided(64, 64, 3, 5), std::pair(8l, 1l));
  EXPECT_EQ(divided(384, 256, 3, 768), std::pair(256l, 3l));
  EXPECT_EQ(divided(512, 512, 3, 768), std::pair(768l, 1l));
  EXPECT_EQ(divided(0, 64, 3, 768), std::pair(768l, 1l));
}

TEST(CudaContrastiveDivision, DividedDimensionsGiveWhatAllAtOnceDo) {
  for (const Similarity kind : gaussian_similarities) {
    // Parts of 8 and of 16 dimensions, the last one of 3; and one of all 43.
    for (const std::int64_t blocks : {usual_blocks, std::int64_t{18}, std::int64_t{1}}) {
      Case c{66, 43, 2, 66, kind, all_terms};
      c.most_blocks = blocks;
      expect_loss_as_on_cpu<float>(c);
    }
  }
}

TEST(CudaContrastiveDivision, CandidatesOfTheGradientAreDividedAmongBlocks) {
  const auto divided = [](std::int64_t candidates, int roles, std::int64_t dimension) {
    const kernels::cuda::CandidateParts parts =
        kernels::cuda::divided_candidates(candidates, roles, dimension, 2 * usual_blocks);
    return std::pair(parts.size, parts.count);
  };
  // 528 blocks at most, of whole tiles of 16 candidates and of 32 dimensions.
  EXPECT_EQ(divided(64, 3, 768), std::pair(16l, 4l));
  EXPECT_EQ(divided(65536, 3, 768), std::pair(9376l, 7l));
  EXPECT_EQ(divided(1, 2, 1), std::pair(16l, 1l));
  EXPECT_EQ(divided(33, 3, 32 * 200), std::pair(48l, 1l));
}

TEST(CudaContrastiveDivision, PartsOfCandidatesMayHaveSeveralTiles) {
  // Four parts of three tiles, the last one of six candidates, next to three tiles of anchors.
  for (const Similarity kind : gaussian_similarities) {
    Case c{150, 5, 10, 150, kind, all_terms};
    c.most_blocks = 6;
    expect_loss_as_on_cpu<double>(c);
    c.terms = ent;
    expect_loss_as_on_cpu<float>(c);
  }
}

TEST(CudaContrastiveDivision, PairsOfFewAnchorsAtOnceGiveTheSame) {
  Case c{70, 5, 1, 70, per_dimension, all_terms};
  c.most_pairs = 1;
  expect_loss_as_on_cpu<double>(c);
  c.most_pairs = 64 * 3 * 70;
  c.kind = joint;
  expect_loss_as_on_cpu<double>(c);
}

}  // namespace
}  // namespace gausscse
