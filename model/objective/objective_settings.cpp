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

}  // namespace gausscse
