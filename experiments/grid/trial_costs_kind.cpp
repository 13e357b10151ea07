#include "experiments/grid/trial_costs_kind.hpp"

namespace gausscse {

namespace {

ObjectiveSettings objective_kind(const ObjectiveSettings& objective) {
  ObjectiveSettings kind;
  kind.kind = objective.kind;
  switch (objective.kind) {
    case ObjectiveKind::gaussian_contrastive:
      kind.similarity = objective.similarity;
      kind.with_simcse = objective.with_simcse;
      kind.loss = roles_of(objective) == 3 ? Loss::ent_con : Loss::ent;
      break;
    case ObjectiveKind::cosine_contrastive:
      kind.hard_negatives = objective.hard_negatives;
      kind.directions = objective.directions;
      break;
    case ObjectiveKind::pair_classification:
      break;
    case ObjectiveKind::supervised_contrastive:
    case ObjectiveKind::augmented_classification:
      kind.positives = objective.positives;
      kind.negatives = objective.negatives;
      break;
    case ObjectiveKind::sum:
      for (const ObjectiveTerm& term : objective.terms)
        if (term.weight != 0) kind.terms.push_back({.objective = objective_kind(term.objective)});
      break;
  }
  return kind;
}

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace

Trial cost_kind(const Trial& trial) {
  Trial kind;
  kind.model.backbone = trial.model.backbone;
  kind.model.pooling = trial.model.pooling;
  kind.model.head.kind = trial.model.head.kind;
  kind.objective = objective_kind(trial.objective);
  kind.reproducibility = trial.reproducibility;
  kind.device = trial.device;
  kind.data = trial.data;
  kind.data.cache.clear();
  kind.training.max_tokens = trial.training.max_tokens;
  kind.training.precision = trial.training.precision;
  kind.training.micro_batch = trial.training.micro_batch;
  kind.training.exchange = trial.training.exchange;
  kind.training.dropout = trial.training.dropout;
  if (trial.reproducibility == setting::Reproducibility::rank_invariant)
    kind.training.virtual_shards = trial.training.virtual_shards;
  kind.tasks = trial.tasks;
  // The state that is kept is measured once more, whatever selected it.
  if (!trial.select.task.empty()) kind.select.task = "selected";
  return kind;
}

std::int64_t periodic_measurements(const Trial& trial, std::int64_t steps) {
  std::int64_t count = 0;
  for (const TaskSettings& task : trial.tasks)
    if (task.eval_every > 0) count += divided_up(steps, task.eval_every);
  return count;
}

std::int64_t steps_per_epoch(const Trial& trial, std::int64_t examples) {
  if (trial.data.last_batch == setting::LastBatch::drop) return examples / trial.training.batch_size;
  return divided_up(examples, trial.training.batch_size);
}

}  // namespace gausscse
