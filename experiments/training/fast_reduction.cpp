#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "dist/row_gather.hpp"
#include "experiments/training/gradient_reduction.hpp"

namespace gausscse {

namespace {

class FastReduction : public GradientReduction {
 public:
  FastReduction(Communicator& communicator, const std::vector<std::int64_t>& shares, std::int64_t micro_batch)
      : communicator_(communicator), gather_(communicator, shares) {
    const std::int64_t own = shares[static_cast<std::size_t>(communicator.rank())], first = gather_.first_row();
    own_ = {first, first + own};
    const std::int64_t size = micro_batch > 0 ? std::min(micro_batch, own) : own;
    for (std::int64_t begin = 0; begin < own; begin += size)
      pieces_.push_back({first + begin, first + std::min(begin + size, own)});
  }

  const std::vector<AnchorRange>& pieces() const override { return pieces_; }
  std::size_t loss_parts() const override { return 1; }

  void evaluate(const Objective& objective, const at::Tensor& embeddings, at::Tensor& own_gradient,
                double* losses) override {
    const at::Tensor gradient = at::empty_like(embeddings);
    losses[0] = objective.evaluate(embeddings, own_, gradient);
    own_gradient = gather_.scatter_gradient(gradient);
  }

  void begin_backward(ParameterStore& parameters) override { parameters.gradients().zero_(); }
  void end_piece(ParameterStore&) override {}
  void end_backward(ParameterStore& parameters) override { communicator_.all_reduce_sum(parameters.gradients()); }

 private:
  Communicator& communicator_;
  RowGather gather_;
  AnchorRange own_{};
  std::vector<AnchorRange> pieces_;
};

}  // namespace

std::unique_ptr<GradientReduction> make_fast_reduction(Communicator& communicator,
                                                       const std::vector<std::int64_t>& shares,
                                                       std::int64_t micro_batch) {
  return std::make_unique<FastReduction>(communicator, shares, micro_batch);
}

}  // namespace gausscse
