#include "model/objective/configured_objective.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "model/objective/losses.hpp"
#include "model/objective/masked_texts.hpp"
#include "model/objective/pair_classifier.hpp"

namespace gausscse {

ConfiguredObjective::ConfiguredObjective(const ObjectiveSettings& settings, std::int64_t width)
    : settings_(settings), width_(width) {
  GAUSSCSE_CHECK(settings.kind != ObjectiveKind::gaussian_contrastive || is_gaussian(settings.similarity),
                 "a similarity of Gaussians");
  std::int64_t parameters = 0;
  for (const ObjectiveTerm& term : terms_of(settings)) {
    auto objective = std::make_shared<const ConfiguredObjective>(term.objective, width);
    const std::int64_t count = count_elements(objective->parameters());
    terms_.push_back({std::move(objective), term.weight, std::exchange(parameters, parameters + count), count});
  }
}

std::vector<ParameterSpec> ConfiguredObjective::parameters() const {
  std::vector<ParameterSpec> all;
  for (const Term& term : terms_)
    for (ParameterSpec& spec : term.objective->parameters()) all.push_back(std::move(spec));
  return terms_.empty() && classifier_of(settings_) ? PairClassifier::parameters(width_) : all;
}

std::int64_t ConfiguredObjective::count_left_out(const ExampleLabels& batch) const {
  return gausscse::count_left_out(settings_, batch);
}

class ConfiguredObjective::SumOfLosses : public BlockwiseLoss {
 public:
  SumOfLosses(const std::vector<Term>& terms, const AnchorInput& anchors) : terms_(terms) {
    for (const Term& term : terms_) {
      AnchorInput of_term = anchors;
      of_term.rows = term.rows(anchors.rows);
      of_term.parameters = term.parameters(anchors.parameters);
      losses_.push_back(term.objective->begin(of_term));
      by_anchors_.push_back(at::zeros_like(of_term.rows, at::MemoryFormat::Contiguous));
    }
  }

  void accumulate(const CandidateRows& block) override {
    for (std::size_t i = 0; i < terms_.size(); ++i) losses_[i]->accumulate({terms_[i].rows(block.rows), block.first});
  }

  at::Tensor loss() const override {
    at::Tensor sum = at::mul(losses_.front()->loss(), terms_.front().weight);
    for (std::size_t i = 1; i < terms_.size(); ++i) sum.add_(at::mul(losses_[i]->loss(), terms_[i].weight));
    return sum;
  }

  void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor) override {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const at::Tensor rows = terms_[i].rows(block.rows);
      const at::Tensor gradient = at::zeros_like(rows);
      losses_[i]->backward({rows, block.first}, gradient, by_anchors_[i]);
      terms_[i].rows(block_gradient).add_(gradient, terms_[i].weight);
    }
  }

  void finish(const ObjectiveGradient& gradient) override {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const at::Tensor parameters = terms_[i].parameters(gradient.parameters);
      const ObjectiveGradient of_term{by_anchors_[i], parameters.defined() ? at::zeros_like(parameters) : at::Tensor()};
      losses_[i]->finish(of_term);
      terms_[i].rows(gradient.embeddings).add_(of_term.embeddings, terms_[i].weight);
      if (parameters.defined()) parameters.add_(of_term.parameters, terms_[i].weight);
    }
  }

 private:
  const std::vector<Term>& terms_;
  std::vector<std::unique_ptr<BlockwiseLoss>> losses_;
  std::vector<at::Tensor> by_anchors_;  ///< gradient of each term, without its weight
};

std::unique_ptr<BlockwiseLoss> ConfiguredObjective::begin(const AnchorInput& anchors) const {
  GAUSSCSE_CHECK(!classifier_of(settings_) || anchors.rows.size(2) == width_, "rows are ", width_, " wide");
  if (!terms_.empty()) return std::make_unique<SumOfLosses>(terms_, anchors);
  switch (settings_.kind) {
    case ObjectiveKind::gaussian_contrastive:
      return begin_gaussian_contrastive(settings_, anchors);
    case ObjectiveKind::cosine_contrastive:
      return begin_cosine_contrastive(settings_, anchors);
    case ObjectiveKind::pair_classification:
      return begin_pair_classification(settings_, anchors, 1.0 / static_cast<double>(anchors.batch));
    case ObjectiveKind::supervised_contrastive:
      return begin_supervised_contrastive(settings_, anchors);
    case ObjectiveKind::augmented_classification:
      return begin_augmented_classification(settings_, anchors);
    case ObjectiveKind::sum:
      break;
  }
  throw std::logic_error("no objective of this number, or a sum without terms");
}

at::Tensor ConfiguredObjective::evaluate(const ObjectiveInput& input, AnchorRange own,
                                         const ObjectiveGradient& gradient) const {
  if (terms_.empty() && settings_.kind != ObjectiveKind::gaussian_contrastive)
    return Objective::evaluate(input, own, gradient);
  check(input, own, gradient);
  if (terms_.empty()) return evaluate_gaussian_contrastive(settings_, input, own, gradient);
  gradient.embeddings.zero_();
  const at::Tensor of_term = at::empty_like(gradient.embeddings);
  at::Tensor loss = at::zeros({}, input.embeddings.options().dtype(at::kDouble));
  for (const Term& term : terms_) {
    ObjectiveInput term_input = input;
    term_input.embeddings = term.rows(input.embeddings);
    term_input.parameters = term.parameters(input.parameters);
    const ObjectiveGradient term_gradient{term.rows(of_term), term.parameters(gradient.parameters)};
    loss.add_(at::mul(term.objective->evaluate(term_input, own, term_gradient), term.weight));
    term.rows(gradient.embeddings).add_(term_gradient.embeddings, term.weight);
    if (term_gradient.parameters.defined()) term_gradient.parameters.mul_(term.weight);
  }
  return loss;
}

}  // namespace gausscse
