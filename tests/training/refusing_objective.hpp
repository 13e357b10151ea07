#pragma once

#include <memory>
#include <new>
#include <utility>

#include "model/objective/configured_objective.hpp"

namespace gausscse {

/// Call in which an objective is refused memory.
enum class RefusedIn { evaluate, accumulate, backward };

/// GaussCSE's objective, which is refused memory where it computes the loss of a step, after `steps` that it is not.
class RefusingObjective : public Objective {
 public:
  explicit RefusingObjective(RefusedIn where, int steps = 0) : where_(where), steps_(steps) {}

  std::int64_t roles() const override { return inner_.roles(); }
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput& anchors) const override {
    return std::make_unique<Loss>(inner_.begin(anchors), refuses() ? where_ : RefusedIn::evaluate);
  }
  at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override {
    if (where_ == RefusedIn::evaluate && refuses()) throw std::bad_alloc();
    return inner_.evaluate(input, own, gradient);
  }

 private:
  class Loss : public BlockwiseLoss {
   public:
    Loss(std::unique_ptr<BlockwiseLoss> inner, RefusedIn where) : inner_(std::move(inner)), where_(where) {}

    void accumulate(const CandidateRows& block) override {
      if (where_ == RefusedIn::accumulate) throw std::bad_alloc();
      inner_->accumulate(block);
    }
    at::Tensor loss() const override { return inner_->loss(); }
    void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor anchor_gradient) override {
      if (where_ == RefusedIn::backward) throw std::bad_alloc();
      inner_->backward(block, std::move(block_gradient), std::move(anchor_gradient));
    }
    void finish(const ObjectiveGradient& gradient) override { inner_->finish(gradient); }

   private:
    std::unique_ptr<BlockwiseLoss> inner_;
    RefusedIn where_;
  };

  bool refuses() const { return steps_-- <= 0; }

  ConfiguredObjective inner_{{.similarity = Similarity::joint}};
  RefusedIn where_;
  mutable int steps_;
};

}  // namespace gausscse
