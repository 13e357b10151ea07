#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "model/objective/gaussian_contrastive.hpp"

namespace gausscse {
namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// What the loss takes beside its input and gradient, at `batch` triples of `dimension`. Runs it on few triples first,
/// so that threads and the like are not counted.
double extra_megabytes(std::int64_t batch, std::int64_t dimension, std::int64_t anchors) {
  const GaussianContrastive objective(Loss::ent_con_rev, SimilarityKind::joint, 0.05);
  const at::Tensor embeddings = at::randn({3, batch, 2 * dimension}, at::kFloat);
  at::Tensor gradient = at::zeros_like(embeddings);
  const at::Tensor few = embeddings.narrow(1, 0, 8).contiguous();
  at::Tensor few_gradient = at::zeros_like(few);
  objective.evaluate(few, {0, 8}, few_gradient);
  const double before = peak_megabytes();
  objective.evaluate(embeddings, {0, anchors}, gradient);
  return peak_megabytes() - before;
}

/// n x m x d values would be 256 MB here, and all similarities 12 MB.
TEST(LossMemory, HoldsNothingOfTheOrderOfPairsTimesDimensions) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what was given back";
#endif
  EXPECT_LT(extra_megabytes(1024, 64, 1024), 24);
}

/// All similarities of three blocks would be 192 MB, and their derivatives as much.
TEST(LossMemory, HoldsNoWholeMatrixOfSimilarities) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what was given back";
#endif
  EXPECT_LT(extra_megabytes(4096, 8, 4096), 48);
}

}  // namespace
}  // namespace gausscse
