#pragma once

#include <ATen/TensorOperators.h>
#include <c10/core/CPUAllocator.h>

#include <atomic>
#include <new>

#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/example_reader.hpp"
#include "tests/training/training_systems.hpp"
#include "training/training_step.hpp"

namespace gausscse {

/// Examples of a batch, so many that each of four ranks has ten.
inline constexpr std::int64_t halved_batch = 40;

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

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

/// Test with LimitedAllocator in the place of LibTorch's.
class LimitedMemoryTest : public testing::Test {
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
  CandidateExchange exchange = CandidateExchange::gather;
  std::size_t system = 1;  ///< number of one of `training_systems`; 1 is GaussCSE
};

/// A model whose steps go through batches of `halved_batch` examples, with dropout.
class LimitedTraining {
 public:
  LimitedTraining(Communicator& ranks, const How& how)
      : ranks_(ranks),
        shards_(how.virtual_shards),
        system_(training_systems()[how.system]),
        objective_(system_.make()),
        encoder_(system_.encoder(how.type, how.virtual_shards > 0)),
        step_(encoder_, objective_, ranks,
              {.seed = 3,
               .micro_batch = how.micro_batch,
               .virtual_shards = how.virtual_shards,
               .exchange = how.exchange}) {
    randomize(encoder_.parameters(), 1);
  }

  PreparedBatch prepare(std::int64_t number) {
    return step_.prepare(number, shares(),
                         example_reader(sentences_, halved_batch, objective_.roles(), system_.divisor));
  }
  TrainingStep::Result run(const PreparedBatch& batch) { return step_.run(batch); }
  TrainingStep::Result run() { return run(prepare(0)); }
  at::Tensor gradients() { return encoder_.parameters().gradients().clone(); }
  std::vector<MemoryPart> memory() const { return step_.memory(); }
  std::vector<std::int64_t> shares() const {
    return shares_of_shards(halved_batch, shards_ > 0 ? shards_ : ranks_.size(), ranks_.size());
  }

 private:
  const RandomSentences sentences_ = random_sentences(3 * halved_batch, 100);
  Communicator& ranks_;
  std::int64_t shards_;
  const TrainingSystem& system_;
  ConfiguredObjective objective_;
  SentenceEncoder encoder_;
  TrainingStep step_;
};

inline double relative_error(const at::Tensor& value, const at::Tensor& truth) {
  return ((value - truth).abs().max() / truth.abs().max()).item<double>();
}

}  // namespace gausscse
