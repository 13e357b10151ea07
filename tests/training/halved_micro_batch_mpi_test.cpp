#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tests/model/encoder/small_models.hpp"
#include "tests/training/example_reader.hpp"
#include "tests/training/training_systems.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// Examples of a batch, so many that each of four ranks has ten.
constexpr std::int64_t halved_batch = 40;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// LibTorch's allocator of host memory, but for allocations that would exceed a limit, and for one by its number.
class LimitedAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (++calls_ == refused_call_ || held_ + bytes > limit_) {
      ++refusals_;
      throw std::bad_alloc();
    }
    held_ += bytes;
    peak_ = std::max<std::size_t>(peak_, held_);
    auto* block = new Block{inner_->allocate(bytes), bytes};
    return {block->memory.get(), block, &free, c10::Device(c10::kCPU)};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

  static LimitedAllocator& get() {
    static LimitedAllocator allocator;
    return allocator;
  }

  /// From now on at most `bytes` more than are held now, and not the call with this number (from 1).
  void limit(std::size_t bytes, std::int64_t refused_call = 0) {
    limit_ = bytes == no_limit ? no_limit : held_ + bytes;
    before_ = held_.load();
    refused_call_ = refused_call;
    calls_ = refusals_ = 0;
    peak_ = held_.load();
  }
  std::int64_t calls() const { return calls_; }
  std::int64_t refusals() const { return refusals_; }
  /// Returns the most bytes that were held since `limit`, besides those from before.
  std::size_t peak() const { return peak_ - before_; }

 private:
  struct Block {
    c10::DataPtr memory;
    std::size_t bytes;
  };
  static void free(void* context) {
    auto* block = static_cast<Block*>(context);
    get().held_ -= block->bytes;
    delete block;
  }

  c10::Allocator* inner_ = c10::GetDefaultCPUAllocator();
  std::atomic<std::size_t> held_{0}, peak_{0}, before_{0}, limit_{no_limit};
  std::atomic<std::int64_t> calls_{0}, refusals_{0}, refused_call_{0};
};

/// Puts LimitedAllocator in the place of LibTorch's while it lives.
class HalvedMicroBatch : public testing::Test {
 protected:
  void SetUp() override { c10::SetCPUAllocator(&LimitedAllocator::get(), 100); }
  void TearDown() override {
    LimitedAllocator::get().limit(no_limit);
    c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), 100);
  }
};

struct How {
  at::ScalarType type = at::kDouble;
  std::int64_t micro_batch = 0, virtual_shards = 0;
};

/// A model of GaussCSE whose steps go through batches of `halved_batch` examples, with dropout.
class Training {
 public:
  Training(Communicator& ranks, const How& how)
      : ranks_(ranks),
        shards_(how.virtual_shards),
        objective_(testing_support::training_systems()[1].make()),
        encoder_(testing_support::training_systems()[1].encoder(how.type, how.virtual_shards > 0)),
        step_(encoder_, objective_, ranks,
              {.seed = 3, .micro_batch = how.micro_batch, .virtual_shards = how.virtual_shards}) {
    testing_support::randomize(encoder_.parameters(), 1);
  }

  PreparedBatch prepare(std::int64_t number) {
    return step_.prepare(number, shares(), testing_support::example_reader(sentences_, halved_batch));
  }
  TrainingStep::Result run(const PreparedBatch& batch) { return step_.run(batch); }
  TrainingStep::Result run() { return run(prepare(0)); }
  at::Tensor gradients() { return encoder_.parameters().gradients().clone(); }
  std::vector<MemoryPart> memory() const { return step_.memory(); }
  std::vector<std::int64_t> shares() const {
    return shares_of_shards(halved_batch, shards_ > 0 ? shards_ : ranks_.size(), ranks_.size());
  }

 private:
  const testing_support::RandomSentences sentences_ = testing_support::random_sentences(3 * halved_batch, 100);
  Communicator& ranks_;
  std::int64_t shards_;
  ConfiguredObjective objective_;
  SentenceEncoder encoder_;
  TrainingStep step_;
};

double relative_error(const at::Tensor& value, const at::Tensor& truth) {
  return ((value - truth).abs().max() / truth.abs().max()).item<double>();
}

/// Returns the most bytes that a first step holds.
std::size_t peak_of(Communicator& ranks, const How& how) {
  Training training(ranks, how);
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
    Training whole(*ranks, how);
    const double loss = whole.run().loss;
    const at::Tensor expected = whole.gradients();
    const std::size_t most = peak_of(*ranks, how), least = peak_of(*ranks, {how.type, 1, how.virtual_shards});
    ASSERT_LT(least, most);

    Training limited(*ranks, how);
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
        EXPECT_EQ(result.largest_piece, result.halved_micro_batch);
        EXPECT_EQ(result.pieces, (limited.shares().back() + result.largest_piece - 1) / result.largest_piece);
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
  Training limited(*ranks, {});
  const PreparedBatch batch = limited.prepare(0);
  // The even ranks have less.
  const std::size_t quarters = ranks->rank() % 2 == 0 ? 1 : 3;
  LimitedAllocator::get().limit(least + (most - least) * quarters / 4);
  const TrainingStep::Result result = limited.run(batch);
  LimitedAllocator::get().limit(no_limit);
  const at::Tensor pieces = at::zeros({ranks->size()}, at::kDouble);
  pieces[ranks->rank()].fill_(result.largest_piece);
  ranks->all_reduce_sum(pieces);
  EXPECT_LT(result.largest_piece, limited.shares()[static_cast<std::size_t>(ranks->rank())]);
  EXPECT_EQ(result.halved_micro_batch, pieces.min().item<double>());
  EXPECT_EQ(result.pieces, (limited.shares()[static_cast<std::size_t>(ranks->rank())] + result.largest_piece - 1) /
                               result.largest_piece);
}

/// Each allocation of a step of one rank is refused once: the gradients are those of a whole step, or, where the
/// refused memory is no micro-batch's, the error goes through. The ranks try different allocations, each alone.
TEST_F(HalvedMicroBatch, FollowsTheRefusalOfAnyAllocation) {
  const auto alone = make_self_communicator(), ranks = make_mpi_communicator();
  for (const How& how : {How{}, How{at::kFloat, 0, 16}, How{at::kFloat, 8, 16}}) {
    Training whole(*alone, how);
    const std::int64_t largest = whole.run().largest_piece;
    const at::Tensor expected = whole.gradients();
    LimitedAllocator& allocator = LimitedAllocator::get();
    int halved = 0, thrown = 0;
    bool refused = true;
    for (std::int64_t call = 1 + ranks->rank(); refused; call += ranks->size()) {
      SCOPED_TRACE(call);
      Training limited(*alone, how);
      const PreparedBatch batch = limited.prepare(0);
      allocator.limit(no_limit, call);
      try {
        const TrainingStep::Result result = limited.run(batch);
        refused = allocator.refusals() > 0;
        allocator.limit(no_limit);
        if (refused) {
          EXPECT_EQ(result.halved_micro_batch, largest / 2);
        }
        EXPECT_LE(relative_error(limited.gradients(), expected), how.virtual_shards > 0 ? 0 : 1e-12);
        halved += refused ? 1 : 0;
      } catch (const std::bad_alloc&) {
        ++thrown;
      }
      allocator.limit(no_limit);
    }
    EXPECT_GT(halved, 50 / ranks->size());
    EXPECT_LT(thrown, halved / 4);
  }
}

TEST_F(HalvedMicroBatch, EndsAtOneExample) {
  const auto alone = make_self_communicator();
  const std::size_t least = peak_of(*alone, {at::kDouble, 1});
  Training training(*alone, {});
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
