#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/corpus/batch_share.hpp"
#include "dist/tree_sum.hpp"
#include "experiments/training/gradient_reduction.hpp"

namespace gausscse {

namespace {

/// Collectives that the gradients of all parameters are summed in: fewer take more memory.
constexpr std::int64_t buckets = 4;

std::vector<std::int64_t> shards_of_ranks(std::int64_t shards, std::int64_t ranks) {
  std::vector<std::int64_t> counts;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    counts.push_back(static_cast<std::int64_t>(
        share_of(static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks), static_cast<std::size_t>(shards))
            .size()));
  return counts;
}

AnchorRange rows_of_shard(std::int64_t shard, std::int64_t shards, std::int64_t batch) {
  const Share share =
      share_of(static_cast<std::size_t>(shard), static_cast<std::size_t>(shards), static_cast<std::size_t>(batch));
  return {static_cast<std::int64_t>(share.begin), static_cast<std::int64_t>(share.end)};
}

class RankInvariantReduction : public GradientReduction {
 public:
  RankInvariantReduction(Communicator& communicator, const std::vector<std::int64_t>& shares, std::int64_t shards)
      : communicator_(communicator), shards_of_rank_(shards_of_ranks(shards, communicator.size())), shards_(shards) {
    std::int64_t batch = 0;
    for (const std::int64_t share : shares) batch += share;
    GAUSSCSE_CHECK(shares == shares_of_shards(batch, shards, communicator.size()), "shares are those of whole shards");
    for (int rank = 0; rank < communicator.rank(); ++rank)
      first_shard_ += shards_of_rank_[static_cast<std::size_t>(rank)];
    const std::int64_t own = shards_of_rank_[static_cast<std::size_t>(communicator.rank())];
    for (std::int64_t shard = first_shard_; shard < first_shard_ + own; ++shard)
      pieces_.push_back(rows_of_shard(shard, shards, batch));
    own_ = pieces_.empty() ? AnchorRange{0, 0} : AnchorRange{pieces_.front().begin, pieces_.back().end};
  }

  const std::vector<AnchorRange>& pieces() const override { return pieces_; }
  std::size_t loss_parts() const override { return static_cast<std::size_t>(shards_); }

  void evaluate(const Objective& objective, const at::Tensor& embeddings, at::Tensor& own_gradient,
                double* losses) override {
    TreeSum sum(communicator_, shards_of_rank_, embeddings.numel());
    const at::Tensor gradient = at::empty_like(embeddings);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      losses[static_cast<std::size_t>(first_shard_) + i] = objective.evaluate(embeddings, pieces_[i], gradient);
      sum.add(gradient);
    }
    sum.finish(gradient);
    own_gradient = gradient.narrow(1, own_.begin, own_.end - own_.begin);
  }

  void begin_backward(ParameterStore& parameters) override {
    const std::int64_t size = parameters.gradients().numel();
    sum_ = std::make_unique<TreeSum>(communicator_, shards_of_rank_, (size + buckets - 1) / buckets);
    parameters.gradients().zero_();
  }

  void end_piece(ParameterStore& parameters) override {
    sum_->add(parameters.gradients());
    parameters.gradients().zero_();
  }

  void end_backward(ParameterStore& parameters) override { sum_->finish(parameters.gradients()); }

 private:
  Communicator& communicator_;
  std::vector<std::int64_t> shards_of_rank_;
  std::int64_t shards_;
  std::int64_t first_shard_ = 0;
  AnchorRange own_{};
  std::vector<AnchorRange> pieces_;
  std::unique_ptr<TreeSum> sum_;
};

}  // namespace

std::vector<std::int64_t> shares_of_shards(std::int64_t batch, std::int64_t shards, std::int64_t ranks) {
  std::vector<std::int64_t> shares;
  std::int64_t shard = 0;
  for (const std::int64_t count : shards_of_ranks(shards, ranks)) {
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < count; ++i, ++shard) {
      const AnchorRange range = rows_of_shard(shard, shards, batch);
      rows += range.end - range.begin;
    }
    shares.push_back(rows);
  }
  return shares;
}

std::unique_ptr<GradientReduction> make_rank_invariant_reduction(Communicator& communicator,
                                                                 const std::vector<std::int64_t>& shares,
                                                                 std::int64_t shards) {
  return std::make_unique<RankInvariantReduction>(communicator, shares, shards);
}

}  // namespace gausscse
