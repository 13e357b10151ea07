#include "model/objective/negatives.hpp"

#include <algorithm>
#include <stdexcept>

namespace gausscse {

namespace {

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

std::vector<std::int64_t> negatives_of_anchor(const ObjectiveSettings& objective, std::int64_t batch_size) {
  std::vector<std::int64_t> all;
  for (const ObjectiveSettings* part : computed_parts(objective))
    for (const std::int64_t negatives : negatives_in(*part, batch_size)) all.push_back(negatives);
  return all;
}

}  // namespace gausscse
