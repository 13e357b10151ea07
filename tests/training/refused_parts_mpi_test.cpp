#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>

#include "tests/support/testing.hpp"
#include "tests/training/limited_training.hpp"

namespace gausscse {
namespace {

class RefusedParts : public LimitedMemoryTest, public testing::WithParamInterface<How> {};

/// An allocation of the last rank's step is refused once, in any part of the step, while the other ranks wait for this
/// one in a collective. The step is done all the same.
TEST_P(RefusedParts, AreDoneAgain) {
  const How how = GetParam();
  const auto ranks = make_mpi_communicator();
  const bool is_refused = ranks->rank() + 1 == ranks->size();
  LimitedAllocator& allocator = LimitedAllocator::get();
  LimitedTraining whole(*ranks, how);
  const TrainingStep::Result undisturbed = whole.run();
  const at::Tensor expected = whole.gradients();
  int refusals = 0;
  // One, two, three and four ranks try different ones.
  for (std::int64_t call = ranks->size();; call += 4) {
    SCOPED_TRACE(call);
    LimitedTraining limited(*ranks, how);
    const PreparedBatch batch = limited.prepare(0);
    allocator.limit(no_limit, is_refused ? call : 0);
    const TrainingStep::Result result = limited.run(batch);
    const auto refusals_here = static_cast<double>(allocator.refusals());
    allocator.limit(no_limit);
    at::Tensor refused = at::full({1}, refusals_here);
    ranks->all_reduce_sum(refused);
    if (how.virtual_shards > 0) {
      EXPECT_EQ(result.loss, undisturbed.loss);
      EXPECT_TRUE(at::equal(limited.gradients(), expected));
    } else {
      EXPECT_NEAR(result.loss, undisturbed.loss, 1e-12);
      EXPECT_LE(relative_error(limited.gradients(), expected), 1e-12);
    }
    if (refused.item<double>() == 0) break;
    ++refusals;
    if (is_refused) {
      EXPECT_EQ(result.halved_micro_batch, undisturbed.largest_micro_batch / 2);
    }
  }
  EXPECT_GT(refusals, 10);
}

INSTANTIATE_TEST_SUITE_P(Ways, RefusedParts,
                         testing::Values(How{}, How{.exchange = CandidateExchange::ring},
                                         How{.type = at::kFloat, .virtual_shards = 16},
                                         How{.type = at::kFloat, .micro_batch = 8, .virtual_shards = 16},
                                         How{.micro_batch = 8, .system = 6},
                                         How{.exchange = CandidateExchange::ring, .system = 6}));

}  // namespace
}  // namespace gausscse
