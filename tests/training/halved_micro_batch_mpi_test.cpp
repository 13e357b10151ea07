#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

#include <new>

#include "tests/support/testing.hpp"
#include "tests/training/limited_training.hpp"

namespace gausscse {
namespace {

using HalvedMicroBatch = LimitedMemoryTest;

/// Returns the most bytes that a first step holds.
std::size_t peak_of(Communicator& ranks, const How& how) {
  LimitedTraining training(ranks, how);
  const PreparedBatch batch = training.prepare(0);
  LimitedAllocator::get().limit(no_limit);
  training.run(batch);
  return LimitedAllocator::get().peak();
}

/// The last rank has memory for a part of its share.
TEST_F(HalvedMicroBatch, GivesTheSameGradients) {
  const auto ranks = make_mpi_communicator();
  const bool is_limited = ranks->rank() + 1 == ranks->size();
  for (const How& how : {How{}, How{at::kFloat, 0, 16}, How{at::kDouble, 8}}) {
    SCOPED_TRACE(testing::Message() << how.micro_batch << " " << how.virtual_shards);
    LimitedTraining whole(*ranks, how);
    const double loss = whole.run().loss;
    const at::Tensor expected = whole.gradients();
    const std::size_t most = peak_of(*ranks, how), least = peak_of(*ranks, {how.type, 1, how.virtual_shards});
    ASSERT_LT(least, most);

    LimitedTraining limited(*ranks, how);
    LimitedAllocator& allocator = LimitedAllocator::get();
    // The second batch is prepared before memory is refused to the first.
    const PreparedBatch first = limited.prepare(0), second = limited.prepare(0);
    for (const PreparedBatch* batch : {&first, &second}) {
      allocator.limit(is_limited ? least + (most - least) / 4 : no_limit);
      const TrainingStep::Result result = limited.run(*batch);
      const bool was_refused = allocator.refusals() > 0;
      allocator.limit(no_limit);
      if (batch == &first) {
        EXPECT_EQ(was_refused, is_limited);
      }
      const std::int64_t before = how.micro_batch > 0 ? how.micro_batch : limited.shares().back();
      EXPECT_GE(result.halved_micro_batch, 1);
      EXPECT_LT(result.halved_micro_batch, before);
      if (is_limited && how.virtual_shards == 0) {
        EXPECT_EQ(result.largest_micro_batch, result.halved_micro_batch);
        EXPECT_EQ(result.micro_batches,
                  (limited.shares().back() + result.largest_micro_batch - 1) / result.largest_micro_batch);
      }
      if (how.virtual_shards > 0) {
        EXPECT_EQ(result.loss, loss);
        EXPECT_TRUE(at::equal(limited.gradients(), expected));
      } else {
        EXPECT_NEAR(result.loss, loss, 1e-12);
        EXPECT_LE(relative_error(limited.gradients(), expected), 1e-12);
      }
    }
    EXPECT_LT(limited.run(limited.prepare(0)).halved_micro_batch, halved_batch) << "it stays small";
  }
}

/// Every rank has memory for a part of its share: all learn of the smallest micro-batch.
TEST_F(HalvedMicroBatch, IsReportedToAllRanks) {
  const auto ranks = make_mpi_communicator();
  const std::size_t most = peak_of(*ranks, {}), least = peak_of(*ranks, {at::kDouble, 1});
  LimitedTraining limited(*ranks, {});
  const PreparedBatch batch = limited.prepare(0);
  // The even ranks have less.
  const std::size_t quarters = ranks->rank() % 2 == 0 ? 1 : 3;
  LimitedAllocator::get().limit(least + (most - least) * quarters / 4);
  const TrainingStep::Result result = limited.run(batch);
  LimitedAllocator::get().limit(no_limit);
  const at::Tensor micro_batches = at::zeros({ranks->size()}, at::kDouble);
  micro_batches[ranks->rank()].fill_(result.largest_micro_batch);
  ranks->all_reduce_sum(micro_batches);
  EXPECT_LT(result.largest_micro_batch, limited.shares()[static_cast<std::size_t>(ranks->rank())]);
  EXPECT_EQ(result.halved_micro_batch, micro_batches.min().item<double>());
  EXPECT_EQ(result.micro_batches,
            (limited.shares()[static_cast<std::size_t>(ranks->rank())] + result.largest_micro_batch - 1) /
                result.largest_micro_batch);
}

TEST_F(HalvedMicroBatch, EndsAtOneExample) {
  const auto alone = make_self_communicator();
  const std::size_t least = peak_of(*alone, {at::kDouble, 1});
  LimitedTraining training(*alone, {});
  const PreparedBatch batch = training.prepare(0);
  LimitedAllocator::get().limit(least * 3 / 4);
  EXPECT_THROW(training.run(batch), std::bad_alloc);
  const std::vector<MemoryPart> parts = training.memory();
  EXPECT_TRUE(parts.at(0).growing);
  EXPECT_EQ(parts.at(0).what.find("activations of 3 sentences"), 0u) << parts.at(0).what;
  EXPECT_EQ(parts.at(0).advice, "lower training.max_tokens");
}

}  // namespace
}  // namespace gausscse
