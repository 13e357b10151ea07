#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>

#include <atomic>

#include "dist/communicator.hpp"
#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {
namespace {

/// Gives tensors the memory of LibTorch's own allocator, and counts their bytes, while it lives.
class CountingAllocator final : public c10::Allocator {
 public:
  CountingAllocator() { c10::SetCPUAllocator(this, priority); }
  ~CountingAllocator() override { c10::SetCPUAllocator(before_, priority); }

  c10::DataPtr allocate(std::size_t bytes) override {
    auto block = std::make_unique<Block>(Block{before_->allocate(bytes), static_cast<std::int64_t>(bytes), *this});
    held_ += block->bytes;
    most_ = std::max(most_, held_);
    void* const data = block->memory.get();
    return {data, block.release(), &give_back, at::kCPU};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

  std::int64_t most() const { return most_; }

 private:
  static constexpr std::uint8_t priority = 100;
  struct Block {
    c10::DataPtr memory;
    std::int64_t bytes;
    CountingAllocator& owner;
  };
  static void give_back(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    block->owner.held_ -= block->bytes;
  }

  c10::Allocator* before_ = c10::GetCPUAllocator();
  std::int64_t held_ = 0, most_ = 0;
};

/// Besides its own rows, regardless of the number of ranks: their gradient, and 512 rows that travel with theirs, each
/// twice. All rows would be as many times a share as there are ranks.
TEST(RingMemory, IsThatOfTwoSharesForAnyNumberOfRanks) {
  constexpr std::int64_t share = 1100, width = 16;
  const auto ranks = make_mpi_communicator();
  const std::vector<std::int64_t> shares(static_cast<std::size_t>(ranks->size()), share);
  const ConfiguredObjective objective({.similarity = Similarity::joint});
  const auto reduction = make_fast_reduction(*ranks, CandidateExchange::ring, usual_bucket);
  const std::vector<MicroBatch> micro_batches = reduction->micro_batches(shares, 0);
  const OwnRows own{.embeddings = at::randn({3, share, width}, at::kFloat)};
  const at::Tensor losses = at::zeros({1}, at::kDouble);
  at::Tensor gradient;
  std::int64_t most = 0;
  {
    const CountingAllocator counted;
    gradient = reduction->evaluate(objective, own, shares, micro_batches, losses, without_retry());
    most = counted.most();
    gradient = at::Tensor();
  }
  const auto bytes_of_share = static_cast<std::int64_t>(own.embeddings.nbytes());
  // Of 1,024 anchors and 512 candidates the gradients, and of all anchors three numbers of their softmax.
  const std::int64_t of_blocks = 3 * (1024 + 512) * width * 4 + 3 * 8 * share;
  const std::int64_t travelling = 4 * std::int64_t{3} * 512 * width * 4;
  EXPECT_GE(most, bytes_of_share + travelling);
  EXPECT_LE(most, bytes_of_share + travelling + of_blocks + 64 * 1024);
}

}  // namespace
}  // namespace gausscse
