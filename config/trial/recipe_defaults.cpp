#include "config/trial/recipe_defaults.hpp"

#include <stdexcept>

namespace gausscse {

namespace {

Trial paper() {
  Trial trial;
  trial.objective.similarity = Similarity::joint;
  trial.model.head.mean = MeanLayer::linear;
  trial.training.epochs = 3;
  trial.training.schedule = setting::Schedule::linear_increase;
  trial.evaluation.two_way_pairs = setting::TwoWayPairs::drop;
  trial.evaluation.auprc = setting::Auprc::sweep;
  return trial;
}

Trial simcse() {
  Trial trial;
  trial.model.head.kind = HeadKind::mlp_tanh;
  trial.objective.kind = ObjectiveKind::cosine_contrastive;
  trial.data.last_batch = setting::LastBatch::keep;
  trial.training.epochs = 3;
  trial.training.batch_size = 512;
  trial.training.learning_rate = 5e-5;
  trial.training.warmup_ratio = 0.0;
  trial.training.weight_decay = 0.0;
  trial.training.max_tokens = 32;
  trial.training.clip_norm = 1.0;
  return trial;
}

/// Returns defaults that were chosen on dev sets, among those of experiments/manifests/recipes.yaml.
Trial head() {
  Trial trial;
  trial.data.triples = TriplesPerPremise::every_entailment;
  trial.model.pooling = std::nullopt;
  trial.model.head.mean = MeanLayer::identity;
  trial.model.head.scale = MeanScale::unit;
  trial.model.head.log_var_start = 0;
  trial.objective.temperature = 0.01;
  trial.training.parameters = setting::TrainedParameters::head;
  trial.training.epochs = 5;
  trial.training.learning_rate = 1e-3;
  trial.training.warmup_ratio = 0;
  trial.training.weight_decay = 0;
  trial.training.precision = Precision::int8;
  return trial;
}

/// Returns the defaults of a training of all parameters that goes on from such a head, compared with
/// others on dev sets with one seed.
Trial tune() {
  Trial trial = head();
  trial.objective.temperature = 0.02;
  trial.objective.with_simcse = true;
  trial.training.parameters = setting::TrainedParameters::all;
  trial.training.epochs = 1;
  trial.training.learning_rate = 5e-5;
  trial.training.warmup_ratio = 0.1;
  trial.training.weight_decay = 0.01;
  trial.training.precision = Precision::bfloat16;
  return trial;
}

/// Returns the defaults of the isotropy paper; settings that it does not mention are as in sentence-transformers.
Trial dynamics() {
  Trial trial;
  trial.model.pooling = PoolingKind::mean;
  trial.model.head.kind = HeadKind::none;
  trial.objective.kind = ObjectiveKind::cosine_contrastive;
  trial.objective.hard_negatives = false;
  trial.data.examples = ExampleKind::entailment_pairs;
  trial.data.last_batch = setting::LastBatch::keep;
  trial.training.learning_rate = 2e-5;
  trial.training.decay_biases_and_norms = false;
  trial.training.clip_norm = 1.0;
  return trial;
}

Trial contrastive_pairs() {
  Trial trial = dynamics();
  trial.objective.directions = Directions::both;
  return trial;
}

/// Cross entropy alone, the baseline; with temperature 1 for the contrastive loss. Tokens as many as BERT takes.
Trial liao() {
  Trial trial;
  trial.model.pooling = PoolingKind::mean_without_first;
  trial.model.head.kind = HeadKind::none;
  trial.objective.kind = ObjectiveKind::pair_classification;
  trial.objective.temperature = 1.0;
  trial.data.examples = ExampleKind::labelled_pairs;
  trial.data.order = ExampleOrder::file;
  trial.data.last_batch = setting::LastBatch::keep;
  trial.training.learning_rate = 2e-5;
  trial.training.weight_decay = 0.0;
  trial.training.schedule = setting::Schedule::warmup_constant;
  trial.training.max_tokens = 512;
  trial.training.pooling_divisor = PoolingDivisor::longest;
  trial.training.precision = Precision::full;
  trial.training.epsilon = 1e-6;
  return trial;
}

Trial defaults_of(setting::Recipe recipe) {
  switch (recipe) {
    case setting::Recipe::released:
      return {};  // the members' own
    case setting::Recipe::paper:
      return paper();
    case setting::Recipe::simcse:
      return simcse();
    case setting::Recipe::contrastive_pairs:
      return contrastive_pairs();
    case setting::Recipe::head:
      return head();
    case setting::Recipe::tune:
      return tune();
    case setting::Recipe::dynamics:
      return dynamics();
    case setting::Recipe::liao:
      return liao();
  }
  throw std::logic_error("no recipe of this number");
}

}  // namespace

Trial recipe_defaults(setting::Recipe recipe) {
  Trial trial = defaults_of(recipe);
  trial.recipe = recipe;
  return trial;
}

}  // namespace gausscse
