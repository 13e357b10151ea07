#include "model/objective/make_objective.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "model/objective/augmented_classification.hpp"
#include "model/objective/cosine_contrastive.hpp"
#include "model/objective/gaussian_contrastive.hpp"
#include "model/objective/pair_classification.hpp"
#include "model/objective/sum_of_objectives.hpp"
#include "model/objective/supervised_contrastive.hpp"

namespace gausscse {

namespace {

std::unique_ptr<Objective> make_gaussian_contrastive(const ObjectiveSettings& settings) {
  auto gaussian = std::make_unique<GaussianContrastive>(settings.loss, settings.similarity, settings.temperature);
  if (!settings.with_simcse) return gaussian;
  std::vector<SumOfObjectives::Term> terms;
  terms.push_back({std::move(gaussian)});
  terms.push_back({std::make_unique<CosineContrastive>(
      CosineContrastiveSettings{.temperature = settings.temperature, .of_means = true})});
  return std::make_unique<SumOfObjectives>(std::move(terms));
}

std::unique_ptr<Objective> make_sum(const std::vector<ObjectiveTerm>& all, std::int64_t width) {
  std::vector<SumOfObjectives::Term> terms;
  for (const ObjectiveTerm& term : all)
    if (term.weight != 0) terms.push_back({make_objective(term.objective, width), term.weight});
  return std::make_unique<SumOfObjectives>(std::move(terms));
}

}  // namespace

std::unique_ptr<Objective> make_objective(const ObjectiveSettings& settings, std::int64_t width) {
  switch (settings.kind) {
    case ObjectiveKind::gaussian_contrastive:
      return make_gaussian_contrastive(settings);
    case ObjectiveKind::cosine_contrastive:
      return std::make_unique<CosineContrastive>(
          CosineContrastiveSettings{.temperature = settings.temperature,
                                    .hard_negatives = settings.hard_negatives,
                                    .hard_negative_weight = settings.hard_negative_weight,
                                    .directions = settings.directions});
    case ObjectiveKind::pair_classification:
      return std::make_unique<PairClassification>(settings.activation, width);
    case ObjectiveKind::supervised_contrastive:
      return std::make_unique<SupervisedContrastive>(
          SupervisedContrastiveSettings{.temperature = settings.temperature,
                                        .limits = {.positives = settings.positives, .negatives = settings.negatives}});
    case ObjectiveKind::augmented_classification:
      return std::make_unique<AugmentedClassification>(
          AugmentedClassificationSettings{.activation = settings.activation,
                                          .limits = {.positives = settings.positives, .negatives = settings.negatives},
                                          .other_premise_label = settings.other_premise_label},
          width);
    case ObjectiveKind::sum:
      return make_sum(settings.terms, width);
  }
  throw std::logic_error("no objective of this number");
}

}  // namespace gausscse
