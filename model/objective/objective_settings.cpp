#include "model/objective/objective_settings.hpp"

#include <algorithm>
#include <stdexcept>

namespace gausscse {

namespace {

bool is_sum(const ObjectiveSettings& settings) {
  return settings.kind == ObjectiveKind::sum ||
         (settings.kind == ObjectiveKind::gaussian_contrastive && settings.with_simcse);
}

[[noreturn]] void throw_unknown_kind() {
  throw std::logic_error("no objective of this number");
}

}  // namespace

std::vector<ObjectiveTerm> terms_of(const ObjectiveSettings& settings) {
  std::vector<ObjectiveTerm> terms;
  if (settings.kind == ObjectiveKind::sum) {
    for (const ObjectiveTerm& term : settings.terms)
      if (term.weight != 0) terms.push_back(term);
    const bool has_gaussians = std::any_of(terms.begin(), terms.end(), [](const ObjectiveTerm& term) {
      return term.objective.kind == ObjectiveKind::gaussian_contrastive;
    });
    for (ObjectiveTerm& term : terms)
      term.objective.of_means = has_gaussians && term.objective.kind == ObjectiveKind::cosine_contrastive;
  } else if (is_sum(settings)) {
    ObjectiveSettings gaussian = settings;
    gaussian.with_simcse = false;
    const ObjectiveSettings simcse{.kind = ObjectiveKind::cosine_contrastive,
                                   .temperature = settings.temperature,
                                   .false_negatives = settings.false_negatives,
                                   .of_means = true};
    terms = {{.objective = gaussian}, {.objective = simcse}};
  }
  return terms;
}

int roles_of(const ObjectiveSettings& settings) {
  if (is_sum(settings)) {
    int most = 0;
    for (const ObjectiveTerm& term : terms_of(settings)) most = std::max(most, roles_of(term.objective));
    return most;
  }
  switch (settings.kind) {
    case ObjectiveKind::gaussian_contrastive:
      return settings.loss == Loss::ent_con || settings.loss == Loss::ent_con_rev ? 3 : 2;
    case ObjectiveKind::cosine_contrastive:
      return settings.hard_negatives ? 3 : 2;
    case ObjectiveKind::pair_classification:
    case ObjectiveKind::supervised_contrastive:
    case ObjectiveKind::augmented_classification:
      return 2;
    case ObjectiveKind::sum:
      break;
  }
  throw_unknown_kind();
}

bool needs_labels(const ObjectiveSettings& settings) {
  const std::vector<ObjectiveTerm> terms = terms_of(settings);
  return classifier_of(settings) || settings.kind == ObjectiveKind::supervised_contrastive ||
         std::any_of(terms.begin(), terms.end(),
                     [](const ObjectiveTerm& term) { return needs_labels(term.objective); });
}

FalseNegatives false_negatives_of(const ObjectiveSettings& settings) {
  FalseNegatives most = settings.kind == ObjectiveKind::sum ? FalseNegatives::keep : settings.false_negatives;
  for (const ObjectiveTerm& term : terms_of(settings)) most = std::max(most, false_negatives_of(term.objective));
  return most;
}

std::optional<ClassifierActivation> classifier_of(const ObjectiveSettings& settings) {
  if (settings.kind == ObjectiveKind::pair_classification || settings.kind == ObjectiveKind::augmented_classification)
    return settings.activation;
  for (const ObjectiveTerm& term : terms_of(settings))
    if (const auto activation = classifier_of(term.objective)) return activation;
  return std::nullopt;
}

Similarity similarity_of(const ObjectiveSettings& settings) {
  if (settings.kind == ObjectiveKind::gaussian_contrastive) return settings.similarity;
  for (const ObjectiveTerm& term : terms_of(settings))
    if (const Similarity found = similarity_of(term.objective); is_gaussian(found)) return found;
  return Similarity::cosine;
}

std::vector<std::int64_t> negatives_of_anchor(const ObjectiveSettings& objective, std::int64_t batch) {
  if (is_sum(objective)) {
    std::vector<std::int64_t> all;
    for (const ObjectiveTerm& term : terms_of(objective))
      for (const std::int64_t negatives : negatives_of_anchor(term.objective, batch)) all.push_back(negatives);
    return all;
  }
  switch (objective.kind) {
    case ObjectiveKind::gaussian_contrastive: {
      const std::int64_t sets = objective.loss == Loss::ent ? 1 : objective.loss == Loss::ent_con_rev ? 3 : 2;
      return {sets * batch - 1};
    }
    case ObjectiveKind::cosine_contrastive: {
      const std::int64_t of_premise = (objective.hard_negatives ? 2 : 1) * batch - 1;
      if (objective.directions == Directions::both) return {of_premise, batch - 1};
      return {of_premise};
    }
    case ObjectiveKind::supervised_contrastive:
      return {std::min(batch - 1, objective.positives.value_or(batch) - 1 + objective.negatives.value_or(batch))};
    case ObjectiveKind::pair_classification:
    case ObjectiveKind::augmented_classification:
      return {};
    case ObjectiveKind::sum:
      break;
  }
  throw_unknown_kind();
}

}  // namespace gausscse
