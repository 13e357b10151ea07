#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <sys/resource.h>

#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const ConfiguredObjective gaussian({.similarity = Similarity::joint});

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Returns the megabytes that a loss takes next to its input and gradient, at `batch` triples of `width`. Runs it on
/// few triples first, so that threads and the like are not counted.
double extra_megabytes(const Objective& objective, std::int64_t batch, std::int64_t width) {
  const at::Tensor embeddings = at::randn({objective.roles(), batch, width}, at::kFloat);
  at::Tensor gradient = at::zeros_like(embeddings);
  const at::Tensor few = embeddings.narrow(1, 0, 8).contiguous();
  at::Tensor few_gradient = at::zeros_like(few);
  objective.evaluate({few}, {0, 8}, {few_gradient});
  const double before = peak_megabytes();
  objective.evaluate({embeddings}, {0, batch}, {gradient});
  return peak_megabytes() - before;
}

/// n x m x d values would be 256 MB here, and all similarities 12 MB.
TEST(LossMemory, HoldsNothingOfTheOrderOfPairsTimesDimensions) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer keeps what was given back";
#endif
  EXPECT_LT(extra_megabytes(gaussian, 1024, 128), 24);
}

/// All similarities of three blocks would be 192 MB, and their derivatives as much.
TEST(LossMemory, HoldsNoWholeMatrixOfSimilarities) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer keeps what was given back";
#endif
  EXPECT_LT(extra_megabytes(gaussian, 4096, 16), 48);
}

/// All cosines of one direction would be 512 MB.
TEST(LossMemory, HoldsNoWholeMatrixOfCosines) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer keeps what was given back";
#endif
  EXPECT_LT(
      extra_megabytes(ConfiguredObjective({.kind = ObjectiveKind::cosine_contrastive, .directions = Directions::both}),
                      8192, 16),
      80);
}

}  // namespace
}  // namespace gausscse
