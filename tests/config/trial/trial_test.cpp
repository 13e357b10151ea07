#include "config/trial/trial.hpp"

#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(Trial, ReadsEveryKey) {
  const Trial trial = parse(R"(
format: gausscse-trial/2
recipe: paper
model:
  backbone: {architecture: roberta-large, init: random, tokenizer: ../tokenizer}
  pooling: mean_without_first
  head: {kind: gaussian, mean: tanh, init: random}
  sentence_transformers: mean_and_log_var
objective: {kind: gaussian_contrastive, temperature: .25, loss: ent+rev, similarity: per_dimension, with_simcse: true}
reproducibility: rank_invariant
device: cpu
data:
  train: [a.jsonl, /b/c.jsonl]
  examples: triples
  order: file
  bad_lines: skip
  trim: true
  triples: all
  cache: cache
  last_batch: keep
training:
  epochs: 7
  batch_size: 96
  learning_rate: 1.5e-4
  parameters: {from_layer: 7}
  head_learning_rate: 2.5e-3
  warmup_ratio: 1
  weight_decay: 0
  decay_biases_and_norms: false
  schedule: warmup_constant
  max_tokens: 32
  precision: fp32
  seed: 9223372036854775807
  max_steps: 12
  checkpoint_every: 5
  checkpoint_minutes: 2.5
  keep_checkpoint: true
  tensorboard: true
  clip_norm: 1.0
  epsilon: 1e-6
  micro_batch: 5
  virtual_shards: 16
  dropout: 0.2
evaluation: {two_way_pairs: keep, no_gold_label: drop, auprc: trapezoid}
tasks:
  dev: {kind: nli, files: "dev file.jsonl", eval_every: 3}
  a-1_b2: {kind: sts, files: x}
select: {task: dev, figure: accuracy}
output: runs/first
)");
  Trial expected;
  expected.recipe = setting::Recipe::paper;
  expected.model = {.backbone = {.path = {},
                                 .architecture = setting::Architecture::roberta_large,
                                 .init = setting::Init::random,
                                 .tokenizer = "/tokenizer"},
                    .pooling = PoolingKind::mean_without_first,
                    .head = {{HeadKind::gaussian, MeanLayer::tanh}, setting::HeadInit::random},
                    .sentence_transformers = GaussianModules::mean_and_log_var};
  expected.objective = {.temperature = 0.25, .loss = Loss::ent_rev, .with_simcse = true};
  expected.reproducibility = setting::Reproducibility::rank_invariant;
  expected.device = setting::Device::cpu;
  expected.data = {.train = {"/base/a.jsonl", "/b/c.jsonl"},
                   .order = ExampleOrder::file,
                   .bad_lines = BadLines::skip,
                   .trim = true,
                   .triples = TriplesPerPremise::all,
                   .cache = "/base/cache",
                   .last_batch = setting::LastBatch::keep};
  expected.training = {.parameters = setting::TrainedParameters::from_layer,
                       .from_layer = 7,
                       .epochs = 7,
                       .batch_size = 96,
                       .learning_rate = 1.5e-4,
                       .head_learning_rate = 2.5e-3,
                       .warmup_ratio = 1.0,
                       .weight_decay = 0.0,
                       .decay_biases_and_norms = false,
                       .schedule = setting::Schedule::warmup_constant,
                       .max_tokens = 32,
                       .precision = Precision::full,
                       .seed = std::numeric_limits<std::int64_t>::max(),
                       .max_steps = 12,
                       .checkpoint_every = 5,
                       .checkpoint_minutes = 2.5,
                       .keep_checkpoint = true,
                       .tensorboard = true,
                       .clip_norm = 1.0,
                       .epsilon = 1e-6,
                       .micro_batch = 5,
                       .virtual_shards = 16,
                       .dropout = 0.2};
  expected.evaluation.no_gold_label = setting::NoGoldLabel::drop;
  expected.tasks = {{"dev", 3, NliTaskSettings{.file = "/base/dev file.jsonl"}},
                    {"a-1_b2", 0, StsTaskSettings{.files = {"/base/x"}}}};
  expected.select = {"dev", "accuracy"};
  expected.output = "/base/runs/first";
  EXPECT_EQ(trial, expected);
}

TEST(Trial, AsksForADevice) {
  using setting::Device;
  EXPECT_EQ(parse(with("")).device, Device::automatic);
  EXPECT_EQ(device_of(parse(with(""))), Device::automatic);
  EXPECT_EQ(device_of(parse(with("device: cuda"))), Device::cuda);
  EXPECT_EQ(device_of(parse(with("device: cpu"))), Device::cpu);
  // There are no GPUs for it: auto looks for none.
  EXPECT_EQ(device_of(parse(with("reproducibility: rank_invariant"))), Device::cpu);
  EXPECT_EQ(device_of(parse(with("device: cpu\nreproducibility: rank_invariant"))), Device::cpu);
  EXPECT_NE(to_yaml(parse(with("reproducibility: rank_invariant"))).find("device: auto\n"), std::string::npos);
}

TEST(Trial, ReadsTheKeysOfCosinesAndPairs) {
  const Trial triples = parse(R"(
format: gausscse-trial/2
model: {backbone: {path: /m}, pooling: max, head: {kind: mlp_tanh}}
objective: {kind: cosine_contrastive, hard_negatives: true, hard_negative_weight: -1.5, directions: both}
data: {train: t.csv}
output: out
)");
  EXPECT_EQ(triples.model, (Trial::Model{.backbone = {.path = "/m", .tokenizer = {}},
                                         .pooling = PoolingKind::max,
                                         .head = {{HeadKind::mlp_tanh, MeanLayer::tanh}}}));
  EXPECT_EQ(triples.objective, (ObjectiveSettings{.kind = ObjectiveKind::cosine_contrastive,
                                                  .hard_negatives = true,
                                                  .hard_negative_weight = -1.5,
                                                  .directions = Directions::both}));
  const Trial pairs = parse(R"(
format: gausscse-trial/2
model: {backbone: {path: /m}, head: {kind: none}}
objective: {kind: cosine_contrastive, hard_negatives: false, directions: one}
data: {train: t.csv, examples: entailment_pairs}
output: out
)");
  EXPECT_EQ(pairs.model.head.kind, HeadKind::none);
  EXPECT_FALSE(pairs.objective.hard_negatives);
  EXPECT_EQ(pairs.objective.directions, Directions::one);
  EXPECT_EQ(pairs.data.examples, ExampleKind::entailment_pairs);
}

TEST(Trial, KeysOverrideTheRecipeBeforeAndBehindIt) {
  const Trial behind = parse(with("recipe: paper\ntraining: {epochs: 1}"));
  EXPECT_EQ(behind.training.epochs, 1);
  EXPECT_EQ(behind.training.schedule, setting::Schedule::linear_increase);
  EXPECT_EQ(parse(concat("training: {epochs: 1}\n", minimal_trial, "recipe: paper\n")), behind);
}

TEST(Trial, OverridesWinOverTheFile) {
  const Trial trial = parse(with("training: {epochs: 2, seed: 4}\ntasks: {dev: {kind: nli, files: d, eval_every: 9}}"),
                            {"training.epochs=5", "data.train=[x, y]", "tasks.snli={kind: nli, files: s}", "output=/o",
                             "recipe=paper", "objective.loss=ent", "training.epochs=6", "model.head.mean=tanh",
                             "tasks.dev.eval_every=5", "tasks.snli.threshold=dev", "model.backbone.path=other"});
  EXPECT_EQ(trial.training.epochs, 6);
  EXPECT_EQ(trial.training.seed, 4);
  EXPECT_EQ(trial.objective.loss, Loss::ent);
  EXPECT_EQ(trial.objective.similarity, Similarity::joint);
  EXPECT_EQ(trial.model.head.mean, MeanLayer::tanh);
  EXPECT_EQ(trial.model.backbone.path, "/base/other");
  EXPECT_EQ(trial.output, "/o");
  EXPECT_EQ(trial.recipe, setting::Recipe::paper);
  EXPECT_EQ(trial.data.train, (std::vector<std::filesystem::path>{"/base/x", "/base/y"}));
  EXPECT_EQ(trial.tasks,
            (std::vector<TaskSettings>{{"dev", 5, NliTaskSettings{.file = "/base/d"}},
                                       {"snli", 0, NliTaskSettings{.file = "/base/s", .threshold = "dev"}}}));
}

TEST(Trial, OverridesCanGiveWhatTheFileLacks) {
  const Trial trial =
      parse("format: gausscse-trial/2\nmodel:\n",
            {"model.backbone.path=/m", "data.train=t", "output=o", "model.head.mean=linear", "tasks.dev.kind=sts",
             "tasks.dev.files=d", "tasks.dev.eval_every=2", "select.task=dev", "select.figure=spearman"});
  EXPECT_EQ(trial.model.backbone.path, "/m");
  EXPECT_EQ(trial.model.head.mean, MeanLayer::linear);
  EXPECT_EQ(trial.output, "/base/o");
  EXPECT_EQ(trial.tasks, (std::vector<TaskSettings>{{"dev", 2, StsTaskSettings{.files = {"/base/d"}}}}));
  EXPECT_EQ(trial.select, (Trial::Select{"dev", "spearman"}));
}

TEST(Trial, OverridesCanTakeTheSelectionAway) {
  const std::string yaml =
      with("tasks: {dev: {kind: sts, files: d, eval_every: 2}}\nselect: {task: dev, figure: spearman}");
  EXPECT_EQ(parse(yaml).select.task, "dev");
  EXPECT_EQ(parse(yaml, {"select.task=\"\"", "select.figure=\"\""}).select, Trial::Select{});
}

TEST(Trial, PathsInAFileStartFromItsFolder) {
  const TemporaryFolder folder;
  write_bytes(folder / "trial.yaml", concat("\xEF\xBB\xBF", with("tasks: {dev: {kind: nli, files: ../d}}")));
  const Trial trial = read_trial(folder / "trial.yaml", {"output=other"});
  EXPECT_EQ(trial.model.backbone.path, folder / "model");
  EXPECT_EQ(trial.output, folder / "other");
  EXPECT_EQ(files_of(trial.tasks.at(0)),
            (std::vector<std::filesystem::path>{(folder.path().parent_path() / "d").lexically_normal()}));
}

TEST(Trial, TokenCacheFollowsTheSettingThenTheEnvironment) {
  const char *old_home = std::getenv("HOME"), *old_cache = std::getenv("GAUSSCSE_CACHE");
  const std::string home = old_home ? old_home : "", cache = old_cache ? old_cache : "";
  Trial::Data data;
  ::unsetenv("GAUSSCSE_CACHE");
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(token_cache_folder(data), "/home/me/.cache/gausscse/tokens");
  ::setenv("GAUSSCSE_CACHE", "/cache", 1);
  EXPECT_EQ(token_cache_folder(data), "/cache/tokens");
  data.cache = "/set";
  EXPECT_EQ(token_cache_folder(data), "/set");
  data.cache.clear();
  ::unsetenv("GAUSSCSE_CACHE");
  ::unsetenv("HOME");
  EXPECT_TRUE(token_cache_folder(data).empty());
  if (old_home) ::setenv("HOME", home.c_str(), 1);
  if (old_cache) ::setenv("GAUSSCSE_CACHE", cache.c_str(), 1);
}

}  // namespace
}  // namespace gausscse
