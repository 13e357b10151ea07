#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include "dist/communicator.hpp"
#include "model/objective/configured_objective.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t share = 1100, dimension = 8, roles = 3;

void evaluate_around_ring() {
  const auto alone = make_self_communicator();
  const ConfiguredObjective objective({.similarity = Similarity::joint});
  const auto reduction = make_fast_reduction(*alone, CandidateExchange::ring, usual_bucket);
  const auto options = at::TensorOptions(at::kFloat).device(at::kCUDA, 0);
  const OwnRows own{.embeddings = at::zeros({roles, share, dimension}, options)};
  reduction->evaluate(objective, own, {share}, reduction->micro_batches({share}, 0),
                      at::zeros({1}, options.dtype(at::kDouble)), without_retry());
}

/// The formula of docs/training.md: a rank's rows and their gradient, 512 rows that travel with theirs, each twice, and
/// the memory of the GPU's kernels for 1,024 anchors and 512 candidates. It does not depend on the share.
TEST(GpuRingMemory, IsThatOfTwoSharesAndOfBlocks) {
  const std::int64_t row = 4 * roles * dimension, block = 1024 + 512;
  const std::int64_t gradients_of_block = block * row;
  // Mean, variance, its inverse and log-variance of each dimension.
  const std::int64_t packed = block * roles * (dimension / 2) * 4 * 4;
  // Rests of 16 dimensions as candidate and as anchor, limit and flag of each row, for matrix products.
  const std::int64_t products = block * roles * 4 * 4;
  // Of three terms: anchors with contradictions and entailments, and the reversed one.
  const std::int64_t weights_of_pairs = 3 * 1024 * 512 * 4;
  const std::int64_t softmax = 3 * 8 * share;
  // Gradients of anchors, of each term and of each part of 16 candidates.
  const std::int64_t anchor_sums = (512 / 16) * 3 * 1024 * dimension * 4;
  const std::int64_t bytes = 2 * share * row + 4 * 512 * row + gradients_of_block + packed + products +
                             weights_of_pairs + softmax + anchor_sums;
  pretended_gpu::limit_memory(static_cast<std::size_t>(bytes + 64 * 1024));
  EXPECT_NO_THROW(evaluate_around_ring());
  pretended_gpu::limit_memory(static_cast<std::size_t>(bytes - 64 * 1024));
  EXPECT_THROW(evaluate_around_ring(), c10::OutOfMemoryError);
  pretended_gpu::limit_memory(0);
}

}  // namespace
}  // namespace gausscse
