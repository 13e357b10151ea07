#include "config/trial/recipe_defaults.hpp"

#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

// The values are written out: they are those of the papers and of their authors' programs.

TEST(RecipeDefaults, Released) {
  const Trial trial = parse(std::string(minimal_trial));
  EXPECT_EQ(trial, parse(with("recipe: released")));
  EXPECT_EQ(trial.model.pooling, PoolingKind::first_token);
  EXPECT_EQ(trial.model.head.kind, HeadKind::gaussian);
  EXPECT_EQ(trial.model.head.mean, MeanLayer::tanh);
  EXPECT_EQ(trial.objective.kind, ObjectiveKind::gaussian_contrastive);
  EXPECT_EQ(trial.objective.temperature, 0.05);
  EXPECT_EQ(trial.objective.loss, Loss::ent_con_rev);
  EXPECT_EQ(trial.objective.similarity, Similarity::per_dimension);
  EXPECT_FALSE(trial.objective.with_simcse);
  EXPECT_EQ(trial.reproducibility, setting::Reproducibility::fast);
  EXPECT_EQ(trial.data.examples, ExampleKind::triples);
  EXPECT_EQ(trial.data.order, ExampleOrder::shuffled);
  EXPECT_EQ(trial.data.bad_lines, BadLines::error);
  EXPECT_FALSE(trial.data.trim);
  EXPECT_EQ(trial.data.triples, TriplesPerPremise::one);
  EXPECT_EQ(trial.data.last_batch, setting::LastBatch::drop);
  EXPECT_EQ(trial.training.epochs, 1);
  EXPECT_EQ(trial.training.batch_size, 64);
  EXPECT_EQ(trial.training.learning_rate, 3e-5);
  EXPECT_EQ(trial.training.warmup_ratio, 0.1);
  EXPECT_EQ(trial.training.weight_decay, 0.01);
  EXPECT_TRUE(trial.training.decay_biases_and_norms);
  EXPECT_EQ(trial.training.schedule, setting::Schedule::warmup_decay);
  EXPECT_EQ(trial.training.max_tokens, 64);
  EXPECT_EQ(trial.training.precision, Precision::bfloat16);
  EXPECT_EQ(trial.training.clip_norm, 0.0);
  EXPECT_EQ(trial.training.epsilon, 1e-8);
  EXPECT_FALSE(trial.training.dropout.has_value());
  EXPECT_EQ(trial.evaluation.two_way_pairs, setting::TwoWayPairs::keep);
  EXPECT_EQ(trial.evaluation.no_gold_label, setting::NoGoldLabel::non_entailment);
  EXPECT_EQ(trial.evaluation.auprc, setting::Auprc::trapezoid);
  EXPECT_TRUE(trial.tasks.empty());
  EXPECT_EQ(trial.select, Trial::Select{});
}

TEST(RecipeDefaults, ThePaperDiffersWhereItsTextDoes) {
  Trial expected = parse(std::string(minimal_trial));
  expected.recipe = setting::Recipe::paper;
  expected.model.head.mean = MeanLayer::linear;
  expected.objective.similarity = Similarity::joint;
  expected.training.epochs = 3;
  expected.training.schedule = setting::Schedule::linear_increase;
  expected.evaluation.two_way_pairs = setting::TwoWayPairs::drop;
  expected.evaluation.auprc = setting::Auprc::sweep;
  EXPECT_EQ(parse(with("recipe: paper")), expected);
}

TEST(RecipeDefaults, SimcseIsItsAuthorsProgram) {
  Trial expected = parse(std::string(minimal_trial));
  expected.recipe = setting::Recipe::simcse;
  expected.model.pooling = PoolingKind::first_token;
  expected.model.head.kind = HeadKind::mlp_tanh;
  expected.objective.kind = ObjectiveKind::cosine_contrastive;
  expected.objective.temperature = 0.05;
  expected.objective.hard_negatives = true;
  expected.objective.hard_negative_weight = 0.0;
  expected.objective.directions = Directions::one;
  expected.data.examples = ExampleKind::triples;
  expected.data.last_batch = setting::LastBatch::keep;
  expected.training.epochs = 3;
  expected.training.batch_size = 512;
  expected.training.learning_rate = 5e-5;
  expected.training.warmup_ratio = 0.0;
  expected.training.schedule = setting::Schedule::warmup_decay;
  expected.training.weight_decay = 0.0;
  expected.training.max_tokens = 32;
  expected.training.clip_norm = 1.0;
  EXPECT_EQ(parse(with("recipe: simcse")), expected);
}

TEST(RecipeDefaults, DynamicsAreTheIsotropyPapersAndBeyondThemSentenceTransformers) {
  Trial expected = parse(std::string(minimal_trial));
  expected.recipe = setting::Recipe::dynamics;
  expected.model.pooling = PoolingKind::mean;
  expected.model.head.kind = HeadKind::none;
  expected.objective.kind = ObjectiveKind::cosine_contrastive;
  expected.objective.temperature = 0.05;
  expected.objective.hard_negatives = false;
  expected.objective.directions = Directions::one;
  expected.data.examples = ExampleKind::entailment_pairs;
  expected.data.last_batch = setting::LastBatch::keep;
  expected.training.epochs = 1;
  expected.training.batch_size = 64;
  expected.training.max_tokens = 64;
  expected.training.warmup_ratio = 0.1;
  expected.training.schedule = setting::Schedule::warmup_decay;
  expected.training.learning_rate = 2e-5;
  expected.training.weight_decay = 0.01;
  expected.training.decay_biases_and_norms = false;
  expected.training.clip_norm = 1.0;
  EXPECT_EQ(parse(with("recipe: dynamics")), expected);

  expected.recipe = setting::Recipe::contrastive_pairs;
  expected.objective.directions = Directions::both;
  EXPECT_EQ(parse(with("recipe: contrastive_pairs")), expected);
}

TEST(RecipeDefaults, LiaoIsTheReleasedProgramByCrossEntropyAlone) {
  Trial expected = parse(std::string(minimal_trial));
  expected.recipe = setting::Recipe::liao;
  expected.model.pooling = PoolingKind::mean_without_first;
  expected.model.head.kind = HeadKind::none;
  expected.objective.kind = ObjectiveKind::pair_classification;
  expected.objective.activation = ClassifierActivation::none;
  expected.objective.temperature = 1.0;
  expected.data.examples = ExampleKind::labelled_pairs;
  expected.data.order = ExampleOrder::file;
  expected.data.last_batch = setting::LastBatch::keep;
  expected.training.epochs = 1;
  expected.training.batch_size = 64;
  expected.training.learning_rate = 2e-5;
  expected.training.warmup_ratio = 0.1;
  expected.training.schedule = setting::Schedule::warmup_constant;
  expected.training.weight_decay = 0.0;
  expected.training.clip_norm = 0.0;
  expected.training.epsilon = 1e-6;
  expected.training.max_tokens = 512;
  expected.training.precision = Precision::full;
  expected.training.pooling_divisor = PoolingDivisor::longest;
  EXPECT_EQ(parse(with("recipe: liao")), expected);
  EXPECT_EQ(parse(with("recipe: liao"), {"objective.kind=supervised_contrastive"}).objective.temperature, 1.0);
}

TEST(RecipeDefaults, HaveNothingOfTheRequiredKeys) {
  for (const auto& [recipe, name] : names<setting::Recipe>) {
    SCOPED_TRACE(name);
    const Trial trial = recipe_defaults(recipe);
    EXPECT_EQ(trial.recipe, recipe);
    EXPECT_TRUE(trial.data.train.empty());
    EXPECT_TRUE(trial.output.empty());
    EXPECT_EQ(trial.model.backbone, Trial::Backbone{});
  }
}

TEST(RecipeDefaults, HeadBeginsAtTheBackboneAndTuneGoesOnFromThere) {
  Trial expected = parse(std::string(minimal_trial));
  expected.recipe = setting::Recipe::head;
  expected.data.triples = TriplesPerPremise::every_entailment;
  expected.model.pooling = std::nullopt;
  expected.model.head.mean = MeanLayer::identity;
  expected.model.head.scale = MeanScale::unit;
  expected.model.head.log_var = LogVarLayer::linear;
  expected.model.head.init = setting::HeadInit::weights;
  expected.model.head.log_var_start = 0;
  expected.objective.temperature = 0.01;
  expected.objective.loss = Loss::ent_con_rev;
  expected.objective.similarity = Similarity::per_dimension;
  expected.training.parameters = setting::TrainedParameters::head;
  expected.training.epochs = 5;
  expected.training.batch_size = 64;
  expected.training.learning_rate = 1e-3;
  expected.training.warmup_ratio = 0;
  expected.training.weight_decay = 0;
  expected.training.precision = Precision::int8;
  EXPECT_EQ(parse(with("recipe: head")), expected);

  expected.recipe = setting::Recipe::tune;
  expected.objective.temperature = 0.02;
  expected.objective.with_simcse = true;
  expected.training.parameters = setting::TrainedParameters::all;
  expected.training.epochs = 1;
  expected.training.learning_rate = 5e-5;
  expected.training.warmup_ratio = 0.1;
  expected.training.weight_decay = 0.01;
  expected.training.precision = Precision::bfloat16;
  EXPECT_EQ(parse(with("recipe: tune")), expected);
}

}  // namespace
}  // namespace gausscse
