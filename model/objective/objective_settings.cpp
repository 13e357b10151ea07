#include "model/objective/objective_settings.hpp"

#include <algorithm>
#include <stdexcept>

namespace gausscse {

namespace {

int roles_of_part(const ObjectiveSettings& settings) {
  switch (settings.kind) {
    case ObjectiveKind::gaussian_contrastive:
      return settings.with_simcse || settings.loss == Loss::ent_con || settings.loss == Loss::ent_con_rev ? 3 : 2;
    case ObjectiveKind::cosine_contrastive:
      return settings.hard_negatives ? 3 : 2;
    case ObjectiveKind::pair_classification:
    case ObjectiveKind::supervised_contrastive:
    case ObjectiveKind::augmented_classification:
      return 2;
    case ObjectiveKind::sum:
      break;
  }
  throw std::logic_error("no objective of this number, or a sum within a sum");
}

bool classifies(ObjectiveKind kind) {
  return kind == ObjectiveKind::pair_classification || kind == ObjectiveKind::augmented_classification;
}

std::vector<std::int64_t> negatives_in(const ObjectiveSettings& objective, std::int64_t batch) {
  switch (objective.kind) {
    case ObjectiveKind::gaussian_contrastive: {
      std::int64_t sets = 1;
      if (objective.loss == Loss::ent_con || objective.loss == Loss::ent_rev) sets = 2;
      if (objective.loss == Loss::ent_con_rev) sets = 3;
      if (objective.with_simcse) return {sets * batch - 1, 2 * batch - 1};
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
  throw std::logic_error("no objective of this number, or a sum within a sum");
}

}  // namespace

std::vector<const ObjectiveSettings*> computed_parts(const ObjectiveSettings& settings) {
  if (settings.kind != ObjectiveKind::sum) return {&settings};
  std::vector<const ObjectiveSettings*> parts;
  for (const ObjectiveTerm& term : settings.terms)
    if (term.weight != 0) parts.push_back(&term.objective);
  return parts;
}

int roles_of(const ObjectiveSettings& settings) {
  int most = 0;
  for (const ObjectiveSettings* part : computed_parts(settings)) most = std::max(most, roles_of_part(*part));
  return most;
}

bool needs_labels(const ObjectiveSettings& settings) {
  const auto parts = computed_parts(settings);
  return std::any_of(parts.begin(), parts.end(), [](const ObjectiveSettings* part) {
    return classifies(part->kind) || part->kind == ObjectiveKind::supervised_contrastive;
  });
}

std::optional<ClassifierActivation> classifier_of(const ObjectiveSettings& settings) {
  for (const ObjectiveSettings* part : computed_parts(settings))
    if (classifies(part->kind)) return part->activation;
  return std::nullopt;
}

Similarity similarity_of(const ObjectiveSettings& settings) {
  for (const ObjectiveSettings* part : computed_parts(settings))
    if (part->kind == ObjectiveKind::gaussian_contrastive) return part->similarity;
  return Similarity::cosine;
}

std::vector<std::int64_t> negatives_of_anchor(const ObjectiveSettings& objective, std::int64_t batch_size) {
  std::vector<std::int64_t> all;
  for (const ObjectiveSettings* part : computed_parts(objective))
    for (const std::int64_t negatives : negatives_in(*part, batch_size)) all.push_back(negatives);
  return all;
}

}  // namespace gausscse
