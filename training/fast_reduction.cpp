#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "dist/row_gather.hpp"
#include "dist/row_ring.hpp"
#include "training/gradient_buckets.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {

namespace {

class FastReduction : public GradientReduction {
 public:
  FastReduction(Communicator& communicator, CandidateExchange exchange, std::int64_t bucket)
      : communicator_(communicator), exchange_(exchange), buckets_(bucket) {}

  std::vector<MicroBatch> micro_batches(const std::vector<std::int64_t>& shares,
                                        std::int64_t micro_batch) const override {
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    std::int64_t begin = 0;
    for (std::size_t r = 0; r < rank; ++r) begin += shares[r];
    const std::int64_t end = begin + shares[rank], size = micro_batch > 0 ? micro_batch : shares[rank];
    std::vector<MicroBatch> micro_batches;
    for (; begin < end; begin += size) micro_batches.push_back({{{begin, std::min(begin + size, end)}}});
    return micro_batches;
  }

  std::size_t loss_parts() const override { return 1; }

  at::Tensor evaluate(const Objective& objective, const OwnRows& own, const std::vector<std::int64_t>& shares,
                      const std::vector<MicroBatch>& micro_batches, at::Tensor losses, RetryScope& parts) override {
    bytes_of_candidates_ = 0;
    parts.retryable([&] {
      if (own.parameters.defined()) parameter_gradient_ = at::empty_like(own.parameters);
    });
    const AnchorRange anchors = micro_batches.empty()
                                    ? AnchorRange{0, 0}
                                    : AnchorRange{micro_batches.front().begin(), micro_batches.back().end()};
    switch (exchange_) {
      case CandidateExchange::gather:
        return evaluate_gathered(objective, own, shares, anchors, losses[0], parts);
      case CandidateExchange::ring:
        return evaluate_around_ring(objective, own, shares, anchors, losses[0], parts);
    }
    throw std::logic_error("no exchange of this number");
  }

  void begin_backward(SentenceEncoder& encoder) override {
    buckets_.begin();
    encoder.clear_gradients();
    if (parameter_gradient_.defined())
      last_elements(encoder.parameters().gradients(), parameter_gradient_).copy_(parameter_gradient_);
  }
  bool can_begin_again() const override { return communicator_.size() == 1 || !buckets_.begun(); }
  void begin_micro_batch(SentenceEncoder&, const MicroBatch&) override {}
  void end_micro_batch(const MicroBatch&) override {}
  void gradients_are_ready(ParameterStore& parameters, std::int64_t first) override {
    buckets_.sum_from(first, parameters, communicator_);
  }
  void end_backward(ParameterStore& parameters) override {
    buckets_.finish(parameters, communicator_);
    bytes_of_candidates_ = 0;
  }

  std::int64_t bytes_of_candidates() const override { return bytes_of_candidates_; }

 private:
  at::Tensor evaluate_gathered(const Objective& objective, const OwnRows& own, const std::vector<std::int64_t>& shares,
                               AnchorRange anchors, at::Tensor loss, RetryScope& parts) {
    RowGather gather(communicator_, shares, parts);
    const ObjectiveInput input{gather.gather(own.embeddings), own.labels, own.parameters, own.step};
    const auto bytes_of_rows = static_cast<std::int64_t>(input.embeddings.nbytes());
    bytes_of_candidates_ = bytes_of_rows;
    at::Tensor gradient;
    parts.retryable([&] {
      if (!gradient.defined()) gradient = at::empty_like(input.embeddings);
      bytes_of_candidates_ = 2 * bytes_of_rows;
      loss.copy_(objective.evaluate(input, anchors, {gradient, parameter_gradient_}));
    });
    at::Tensor own_gradient = gather.scatter_gradient(gradient);
    bytes_of_candidates_ = static_cast<std::int64_t>(own_gradient.nbytes());
    return own_gradient;
  }

  at::Tensor evaluate_around_ring(const Objective& objective, const OwnRows& own,
                                  const std::vector<std::int64_t>& shares, AnchorRange anchors, at::Tensor loss,
                                  RetryScope& parts) {
    RowRing ring(communicator_, shares, usual_rows_of_ring, parts);
    if (parameter_gradient_.defined()) parameter_gradient_.zero_();
    // A rank without anchors passes the others' rows on.
    std::unique_ptr<BlockwiseLoss> blockwise;
    if (anchors.count() > 0)
      parts.retryable([&] {
        blockwise = objective.begin({.rows = own.embeddings,
                                     .own = anchors,
                                     .batch = std::accumulate(shares.begin(), shares.end(), std::int64_t{0}),
                                     .labels = own.labels,
                                     .parameters = own.parameters,
                                     .step = own.step});
      });
    const std::int64_t travelling = ring.bytes_that_travel(own.embeddings);
    ring.visit(own.embeddings, [&](const at::Tensor& rows, std::int64_t first) {
      bytes_of_candidates_ = travelling;
      if (blockwise) parts.irreversible([&] { see_rows(*blockwise, {rows, first}); });
    });
    at::Tensor gradient;
    parts.retryable([&] { gradient = at::zeros_like(own.embeddings, at::MemoryFormat::Contiguous); });
    const auto bytes_of_gradient = static_cast<std::int64_t>(gradient.nbytes());
    bytes_of_candidates_ = bytes_of_gradient;
    ring.visit_with_gradient(
        own.embeddings, gradient, [&](const at::Tensor& rows, std::int64_t first, const at::Tensor& by_rows) {
          bytes_of_candidates_ = bytes_of_gradient + 2 * travelling;
          if (blockwise) parts.irreversible([&] { differentiate_rows(*blockwise, {rows, first}, by_rows, gradient); });
        });
    bytes_of_candidates_ = bytes_of_gradient;
    if (blockwise)
      parts.irreversible([&] {
        blockwise->finish({gradient, parameter_gradient_});
        loss.copy_(blockwise->loss());
      });
    return gradient;
  }

  Communicator& communicator_;
  CandidateExchange exchange_;
  GradientBuckets buckets_;
  at::Tensor parameter_gradient_;  ///< by the objective's parameters, of this rank's anchors; undefined without any
  std::int64_t bytes_of_candidates_ = 0;
};

}  // namespace

std::unique_ptr<GradientReduction> make_fast_reduction(Communicator& communicator, CandidateExchange exchange,
                                                       std::int64_t bucket) {
  return std::make_unique<FastReduction>(communicator, exchange, bucket);
}

}  // namespace gausscse
