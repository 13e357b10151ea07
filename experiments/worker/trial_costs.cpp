#include "experiments/worker/trial_costs.hpp"

#include <algorithm>

#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

void leave_out_weights(ObjectiveSettings& objective) {
  const ObjectiveSettings defaults;
  // A loss costs what its number of sentences an example does.
  objective.loss = roles_of(objective) == 3 ? Loss::ent_con : Loss::ent;
  objective.temperature = defaults.temperature;
  objective.hard_negative_weight = defaults.hard_negative_weight;
  objective.activation = defaults.activation;
  objective.other_premise_label = defaults.other_premise_label;
  std::erase_if(objective.terms, [](const ObjectiveTerm& term) { return term.weight == 0; });
  for (ObjectiveTerm& term : objective.terms) {
    term.name.clear();
    term.weight = 1;
    leave_out_weights(term.objective);
  }
}

}  // namespace

Trial cost_kind(const Trial& trial) {
  const Trial defaults;
  Trial kind = trial;
  kind.recipe = defaults.recipe;
  kind.model.head.mean = defaults.model.head.mean;
  leave_out_weights(kind.objective);
  kind.data.cache.clear();
  Trial::Training& training = kind.training;
  training.learning_rate = defaults.training.learning_rate;
  training.warmup_ratio = defaults.training.warmup_ratio;
  training.weight_decay = defaults.training.weight_decay;
  training.decay_biases_and_norms = defaults.training.decay_biases_and_norms;
  training.schedule = defaults.training.schedule;
  training.seed = defaults.training.seed;
  training.checkpoint_every = defaults.training.checkpoint_every;
  training.checkpoint_minutes = defaults.training.checkpoint_minutes;
  training.clip_norm = defaults.training.clip_norm;
  training.epsilon = defaults.training.epsilon;
  if (trial.reproducibility == setting::Reproducibility::fast)
    training.virtual_shards = defaults.training.virtual_shards;
  if (training.max_steps > 0) training.epochs = defaults.training.epochs;
  kind.evaluation = defaults.evaluation;
  kind.select = {trial.select.task.empty() ? "" : "selected", ""};
  kind.output.clear();
  return kind;
}

void TrialCosts::learn(const Trial& trial, const RunRecord& run, double model_bytes) {
  if (run.ranks != ranks_ || run.threads != threads_ || !(run.seconds > 0)) return;
  learn(trial, {run.seconds, static_cast<double>(run.disk_bytes), model_bytes});
}

void TrialCosts::learn(const Trial& trial, const TrialCost& cost) {
  Trial kind = cost_kind(trial);
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind; });
  if (known == kinds_.end())
    kinds_.emplace_back(std::move(kind), std::vector<TrialCost>{cost});
  else
    known->second.push_back(cost);
}

std::optional<TrialCost> TrialCosts::expected(const Trial& trial) const {
  const Trial kind = cost_kind(trial);
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind; });
  if (known == kinds_.end()) return std::nullopt;
  const auto middle = [&](double TrialCost::*part) {
    std::vector<double> values;
    for (const TrialCost& cost : known->second) values.push_back(cost.*part);
    return median_of(values);
  };
  return TrialCost{middle(&TrialCost::seconds), middle(&TrialCost::disk_bytes), middle(&TrialCost::model_bytes)};
}

}  // namespace gausscse
