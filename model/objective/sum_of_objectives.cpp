#include "model/objective/sum_of_objectives.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Term = SumOfObjectives::Term;

/// The parts of tensors that belong to one term: its roles of embeddings, its elements of the flat parameters.
class PartsOfTerms {
 public:
  at::Tensor rows(const Term& term, const at::Tensor& rows) const { return rows.narrow(0, 0, term.objective->roles()); }
  /// Returns a term's parameters; called once a term, in their order.
  at::Tensor parameters(const Term& term, const at::Tensor& parameters) {
    const std::int64_t count = count_elements(term.objective->parameters());
    if (count == 0) return {};
    offset_ += count;
    return parameters.narrow(0, offset_ - count, count);
  }

 private:
  std::int64_t offset_ = 0;
};

class SumOfLosses : public BlockwiseLoss {
 public:
  SumOfLosses(const std::vector<Term>& terms, const AnchorInput& anchors) : terms_(terms) {
    PartsOfTerms parts;
    for (const Term& term : terms_) {
      AnchorInput of_term = anchors;
      of_term.rows = parts.rows(term, anchors.rows);
      of_term.parameters = parts.parameters(term, anchors.parameters);
      losses_.push_back(term.objective->begin(of_term));
      by_anchors_.push_back(at::zeros_like(of_term.rows, at::MemoryFormat::Contiguous));
    }
  }

  void see(const CandidateRows& block) override {
    for (std::size_t i = 0; i < terms_.size(); ++i) losses_[i]->see({parts_.rows(terms_[i], block.rows), block.first});
  }

  at::Tensor loss() const override {
    at::Tensor sum = at::mul(losses_.front()->loss(), terms_.front().weight);
    for (std::size_t i = 1; i < terms_.size(); ++i) sum.add_(at::mul(losses_[i]->loss(), terms_[i].weight));
    return sum;
  }

  void differentiate(const CandidateRows& block, at::Tensor block_gradient, at::Tensor) override {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const at::Tensor rows = parts_.rows(terms_[i], block.rows);
      const at::Tensor gradient = at::zeros_like(rows);
      losses_[i]->differentiate({rows, block.first}, gradient, by_anchors_[i]);
      parts_.rows(terms_[i], block_gradient).add_(gradient, terms_[i].weight);
    }
  }

  void finish(const ObjectiveGradient& gradient) override {
    PartsOfTerms parts;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const at::Tensor rows = parts.rows(terms_[i], gradient.embeddings);
      const at::Tensor parameters = parts.parameters(terms_[i], gradient.parameters);
      const ObjectiveGradient of_term{by_anchors_[i], parameters.defined() ? at::zeros_like(parameters) : at::Tensor()};
      losses_[i]->finish(of_term);
      rows.add_(of_term.embeddings, terms_[i].weight);
      if (parameters.defined()) parameters.add_(of_term.parameters, terms_[i].weight);
    }
  }

 private:
  const std::vector<Term>& terms_;
  std::vector<std::unique_ptr<BlockwiseLoss>> losses_;
  std::vector<at::Tensor> by_anchors_;  ///< gradient of each term, without its weight
  PartsOfTerms parts_;
};

}  // namespace

SumOfObjectives::SumOfObjectives(std::vector<Term> terms) : terms_(std::move(terms)) {
  GAUSSCSE_CHECK(!terms_.empty(), "a sum has terms");
}

std::int64_t SumOfObjectives::roles() const {
  std::int64_t most = 0;
  for (const Term& term : terms_) most = std::max(most, term.objective->roles());
  return most;
}

bool SumOfObjectives::needs_labels() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.objective->needs_labels(); });
}

std::vector<ParameterSpec> SumOfObjectives::parameters() const {
  std::vector<ParameterSpec> all;
  for (const Term& term : terms_)
    for (ParameterSpec& spec : term.objective->parameters()) all.push_back(std::move(spec));
  return all;
}

std::unique_ptr<BlockwiseLoss> SumOfObjectives::begin(const AnchorInput& anchors) const {
  return std::make_unique<SumOfLosses>(terms_, anchors);
}

at::Tensor SumOfObjectives::evaluate(const ObjectiveInput& input, AnchorRange own,
                                     const ObjectiveGradient& gradient) const {
  check(input, own, gradient);
  gradient.embeddings.zero_();
  const at::Tensor of_term = at::empty_like(gradient.embeddings);
  PartsOfTerms values, gradients;
  at::Tensor loss = at::zeros({}, input.embeddings.options().dtype(at::kDouble));
  for (const Term& term : terms_) {
    ObjectiveInput term_input = input;
    term_input.embeddings = values.rows(term, input.embeddings);
    term_input.parameters = values.parameters(term, input.parameters);
    const ObjectiveGradient term_gradient{values.rows(term, of_term), gradients.parameters(term, gradient.parameters)};
    loss.add_(at::mul(term.objective->evaluate(term_input, own, term_gradient), term.weight));
    values.rows(term, gradient.embeddings).add_(term_gradient.embeddings, term.weight);
    if (term_gradient.parameters.defined()) term_gradient.parameters.mul_(term.weight);
  }
  return loss;
}

}  // namespace gausscse
