#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "experiments/training/gradient_reduction.hpp"

namespace gausscse {

namespace {

class FastReduction : public GradientReduction {
 public:
  FastReduction(Communicator& communicator, std::int64_t micro_batch)
      : communicator_(communicator), micro_batch_(micro_batch) {}

  std::vector<Piece> pieces(const std::vector<std::int64_t>& shares) const override {
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    std::int64_t begin = 0;
    for (std::size_t r = 0; r < rank; ++r) begin += shares[r];
    const std::int64_t end = begin + shares[rank], size = micro_batch_ > 0 ? micro_batch_ : shares[rank];
    std::vector<Piece> pieces;
    for (; begin < end; begin += size) pieces.push_back({{{begin, std::min(begin + size, end)}}});
    return pieces;
  }

  std::size_t loss_parts() const override { return 1; }

  at::Tensor evaluate(const Objective& objective, const ObjectiveInput& input, const std::vector<Piece>& pieces,
                      RowGather& gather, double* losses) override {
    const at::Tensor gradient = at::empty_like(input.embeddings);
    if (input.parameters.defined()) parameter_gradient_ = at::empty_like(input.parameters);
    const AnchorRange own =
        pieces.empty() ? AnchorRange{0, 0} : AnchorRange{pieces.front().begin(), pieces.back().end()};
    losses[0] = objective.evaluate(input, own, {gradient, parameter_gradient_});
    return gather.scatter_gradient(gradient);
  }

  void begin_backward(ParameterStore& parameters) override {
    parameters.gradients().zero_();
    if (parameter_gradient_.defined())
      last_elements(parameters.gradients(), parameter_gradient_).copy_(parameter_gradient_);
  }
  void begin_piece(ParameterStore&, const Piece&) override {}
  void end_piece(const Piece&) override {}
  void end_backward(ParameterStore& parameters) override { communicator_.all_reduce_sum(parameters.gradients()); }

 private:
  Communicator& communicator_;
  std::int64_t micro_batch_;
  at::Tensor parameter_gradient_;  ///< by the objective's parameters, of this rank's anchors; undefined without any
};

}  // namespace

std::unique_ptr<GradientReduction> make_fast_reduction(Communicator& communicator, std::int64_t micro_batch) {
  return std::make_unique<FastReduction>(communicator, micro_batch);
}

}  // namespace gausscse
