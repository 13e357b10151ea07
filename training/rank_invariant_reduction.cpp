#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/corpus/batch_plan.hpp"
#include "dist/row_gather.hpp"
#include "dist/tree_sum.hpp"
#include "model/kernels/row_shards.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {

namespace {

AnchorRange range_of(std::int64_t share, std::int64_t shares, std::int64_t total) {
  const Share range =
      share_of(static_cast<std::size_t>(share), static_cast<std::size_t>(shares), static_cast<std::size_t>(total));
  return {static_cast<std::int64_t>(range.begin), static_cast<std::int64_t>(range.end)};
}

std::vector<std::int64_t> shards_of_ranks(std::int64_t shards, std::int64_t ranks) {
  std::vector<std::int64_t> counts;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const AnchorRange range = range_of(rank, ranks, shards);
    counts.push_back(range.end - range.begin);
  }
  return counts;
}

class RankInvariantReduction : public GradientReduction {
 public:
  RankInvariantReduction(Communicator& communicator, std::int64_t shards)
      : communicator_(communicator),
        shards_(shards),
        own_shards_(range_of(communicator.rank(), communicator.size(), shards)),
        embedding_sum_(communicator, shards_of_ranks(shards, communicator.size())),
        parameter_sum_(communicator, shards_of_ranks(shards, communicator.size())) {}

  std::vector<MicroBatch> micro_batches(const std::vector<std::int64_t>& shares,
                                        std::int64_t micro_batch) const override {
    std::int64_t batch = 0;
    for (const std::int64_t share : shares) batch += share;
    GAUSSCSE_CHECK(shares == shares_of_shards(batch, shards_, communicator_.size()),
                   "shares are those of whole shards");
    const std::int64_t largest_shard = (batch + shards_ - 1) / shards_;
    const std::int64_t most = micro_batch > 0 ? std::max<std::int64_t>(1, micro_batch / largest_shard) : shards_;
    std::vector<MicroBatch> micro_batches;
    std::int64_t shard = own_shards_.begin;
    for (std::int64_t count : parameter_sum_.leaves_of_nodes(most)) {
      micro_batches.emplace_back();
      for (; count > 0; --count) micro_batches.back().shards.push_back(range_of(shard++, shards_, batch));
    }
    return micro_batches;
  }

  std::size_t loss_parts() const override { return static_cast<std::size_t>(shards_); }

  at::Tensor evaluate(const Objective& objective, const OwnRows& own, const std::vector<std::int64_t>& shares,
                      const std::vector<MicroBatch>& micro_batches, at::Tensor losses, RetryScope& parts) override {
    bytes_of_gathered_ = 0;
    const at::Tensor embeddings = RowGather(communicator_, shares, parts).gather(own.embeddings);
    bytes_of_gathered_ = static_cast<std::int64_t>(embeddings.nbytes());
    const ObjectiveInput input{embeddings, own.labels, own.parameters, own.step};
    parts.retryable([&] {
      std::int64_t part = own_shards_.begin;
      embedding_sum_.begin();
      parameter_gradients_.clear();
      for (const MicroBatch& micro_batch : micro_batches) {
        for (const AnchorRange& shard : micro_batch.shards) {
          ObjectiveGradient gradient{embedding_sum_.leaf(embeddings)};
          if (input.parameters.defined())
            parameter_gradients_.push_back(gradient.parameters = at::empty_like(input.parameters));
          losses[part++].copy_(objective.evaluate(input, shard, gradient));
          embedding_sum_.add();
        }
      }
      embedding_sum_.reserve(embeddings);
    });
    const at::Tensor gradient = embedding_sum_.finish(embeddings);
    bytes_of_gathered_ = 0;
    if (micro_batches.empty()) return gradient.narrow(1, 0, 0);
    return gradient.narrow(1, micro_batches.front().begin(),
                           micro_batches.back().end() - micro_batches.front().begin());
  }

  void begin_backward(SentenceEncoder& encoder) override {
    parameter_sum_.begin();
    parameter_sum_.reserve(encoder.parameters().trained_values());
    next_shard_ = 0;
  }

  void begin_micro_batch(SentenceEncoder& encoder, const MicroBatch& micro_batch) override {
    ParameterStore& parameters = encoder.parameters();
    parameters.set_gradients(parameter_sum_.leaf(parameters.trained_values()));
    encoder.clear_gradients();
    if (parameter_gradients_.empty()) return;
    // The shards' sums are added as the encoder's kernels add theirs.
    std::vector<at::Tensor> places(kernels::most_places);
    kernels::add_in_tree(
        static_cast<std::int64_t>(micro_batch.shards.size()),
        [&](std::int64_t, std::int64_t place) {
          places[static_cast<std::size_t>(place)] = parameter_gradients_[next_shard_++];
        },
        [&](std::int64_t place) {
          const auto i = static_cast<std::size_t>(place);
          places[i].add_(places[i + 1]);
        });
    last_elements(parameters.gradients(), places.front()).copy_(places.front());
  }

  void end_micro_batch(const MicroBatch& micro_batch) override {
    parameter_sum_.add(static_cast<std::int64_t>(micro_batch.shards.size()));
  }

  void end_backward(ParameterStore& parameters) override {
    parameters.set_gradients(parameter_sum_.finish(parameters.trained_values()));
  }

  std::int64_t bytes_of_candidates() const override { return bytes_of_gathered_ + embedding_sum_.bytes(); }
  std::int64_t bytes_of_sums(const ParameterStore& parameters) const override {
    // One of the sums' tensors is the gradients.
    const std::int64_t gradients = parameters.bytes() - static_cast<std::int64_t>(parameters.values().nbytes());
    return std::max<std::int64_t>(0, parameter_sum_.bytes() - gradients);
  }

 private:
  Communicator& communicator_;
  std::int64_t shards_;
  AnchorRange own_shards_;
  TreeSum embedding_sum_, parameter_sum_;
  std::vector<at::Tensor> parameter_gradients_;  ///< by the objective's parameters, of each own shard
  std::size_t next_shard_ = 0;                   ///< first shard of the next micro-batch
  std::int64_t bytes_of_gathered_ = 0;
};

}  // namespace

std::vector<std::int64_t> shares_of_shards(std::int64_t batch, std::int64_t shards, std::int64_t ranks) {
  std::vector<std::int64_t> shares;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const AnchorRange own = range_of(rank, ranks, shards);
    shares.push_back(
        own.begin == own.end ? 0 : range_of(own.end - 1, shards, batch).end - range_of(own.begin, shards, batch).begin);
  }
  return shares;
}

std::unique_ptr<GradientReduction> make_rank_invariant_reduction(Communicator& communicator,
                                                                 std::int64_t virtual_shards) {
  return std::make_unique<RankInvariantReduction>(communicator, virtual_shards);
}

}  // namespace gausscse
