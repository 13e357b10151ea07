#include "experiments/trial/trial.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "experiments/trial/recipe_defaults.hpp"
#include "experiments/trial/trial_key.hpp"
#include "experiments/trial/trial_reference.hpp"
#include "tests/experiments/trial/minimal_trial.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::minimal_trial;
using testing_support::parse;
using testing_support::TemporaryFolder;

TEST(Trial, ReadsEveryKey) {
  const Trial trial = parse(R"(
format: gausscse-trial/1
recipe: paper
backbone: {architecture: roberta-large, init: random, tokenizer: ../tokenizer}
loss: ent+rev
similarity: per_dimension
head: {mean: tanh}
pooling: first_token
data:
  train: [a.jsonl, /b/c.jsonl]
  dev: "dev file.jsonl"
  test: {snli: s.jsonl, mnli: m.jsonl, a-1.b_2: x}
  own_dev: {mnli: md.jsonl, snli: sd.jsonl, a-1.b_2: xd}
  bad_lines: skip
  trim: true
  triples: all
  no_gold_label: drop
  cache: cache
  last_batch: keep
training:
  epochs: 7
  batch_size: 96
  learning_rate: 1.5e-4
  temperature: .25
  warmup_ratio: 1
  weight_decay: 0
  decay_biases_and_norms: false
  schedule: warmup_constant
  max_tokens: 32
  precision: fp32
  seed: 9223372036854775807
  eval_every: 0
  max_steps: 12
  checkpoint_every: 5
  checkpoint_minutes: 2.5
  keep: last
  clip_norm: 1.0
  epsilon: 1e-6
  micro_batch: 5
  dropout: 0.2
evaluation: {threshold: own_dev, two_way_pairs: keep, auprc: trapezoid}
output: runs/first
)");
  Trial expected;
  expected.recipe = setting::Recipe::paper;
  expected.backbone = {.path = {},
                       .architecture = setting::Architecture::roberta_large,
                       .init = setting::Init::random,
                       .tokenizer = "/tokenizer"};
  expected.loss = Loss::ent_rev;
  expected.data = {.train = {"/base/a.jsonl", "/b/c.jsonl"},
                   .dev = "/base/dev file.jsonl",
                   .test = {{"snli", "/base/s.jsonl"}, {"mnli", "/base/m.jsonl"}, {"a-1.b_2", "/base/x"}},
                   .own_dev = {{"mnli", "/base/md.jsonl"}, {"snli", "/base/sd.jsonl"}, {"a-1.b_2", "/base/xd"}},
                   .bad_lines = BadLines::skip,
                   .trim = true,
                   .triples = TriplesPerPremise::all,
                   .no_gold_label = setting::NoGoldLabel::drop,
                   .cache = "/base/cache",
                   .last_batch = setting::LastBatch::keep};
  expected.training = {.epochs = 7,
                       .batch_size = 96,
                       .learning_rate = 1.5e-4,
                       .temperature = 0.25,
                       .warmup_ratio = 1.0,
                       .weight_decay = 0.0,
                       .decay_biases_and_norms = false,
                       .schedule = setting::Schedule::warmup_constant,
                       .max_tokens = 32,
                       .precision = Precision::full,
                       .seed = std::numeric_limits<std::int64_t>::max(),
                       .eval_every = 0,
                       .max_steps = 12,
                       .checkpoint_every = 5,
                       .checkpoint_minutes = 2.5,
                       .keep = setting::Keep::last,
                       .clip_norm = 1.0,
                       .epsilon = 1e-6,
                       .micro_batch = 5,
                       .dropout = 0.2};
  expected.evaluation.threshold = setting::Threshold::own_dev;
  expected.output = "/base/runs/first";
  EXPECT_EQ(trial, expected);
}

TEST(Trial, ReleasedIsTheDefaultRecipe) {
  const Trial trial = parse(std::string(minimal_trial));
  EXPECT_EQ(trial, parse(concat(minimal_trial, "recipe: released\n")));
  EXPECT_EQ(trial.head.mean, MeanActivation::tanh);
  EXPECT_EQ(trial.similarity, SimilarityKind::per_dimension);
  EXPECT_EQ(trial.loss, Loss::ent_con_rev);
  EXPECT_EQ(trial.training.schedule, setting::Schedule::warmup_decay);
  EXPECT_EQ(trial.training.warmup_ratio, 0.1);
  EXPECT_EQ(trial.training.epochs, 1);
  EXPECT_EQ(trial.training.batch_size, 64);
  EXPECT_EQ(trial.training.learning_rate, 3e-5);
  EXPECT_EQ(trial.training.temperature, 0.05);
  EXPECT_EQ(trial.training.weight_decay, 0.01);
  EXPECT_EQ(trial.training.epsilon, 1e-8);
  EXPECT_TRUE(trial.training.decay_biases_and_norms);
  EXPECT_EQ(trial.training.max_tokens, 64);
  EXPECT_EQ(trial.training.precision, Precision::bfloat16);
  EXPECT_EQ(trial.training.eval_every, 100);
  EXPECT_EQ(trial.training.keep, setting::Keep::best);
  EXPECT_FALSE(trial.training.dropout.has_value());
  EXPECT_EQ(trial.data.last_batch, setting::LastBatch::drop);
  EXPECT_FALSE(trial.data.trim);
  EXPECT_EQ(trial.data.no_gold_label, setting::NoGoldLabel::non_entailment);
  EXPECT_EQ(trial.evaluation.threshold, setting::Threshold::snli_dev);
  EXPECT_EQ(trial.evaluation.two_way_pairs, setting::TwoWayPairs::keep);
  EXPECT_EQ(trial.evaluation.auprc, setting::Auprc::trapezoid);
}

TEST(Trial, ThePaperDiffersWhereItsTextDoesAndKeysOverrideIt) {
  Trial expected = parse(std::string(minimal_trial));
  expected.recipe = setting::Recipe::paper;
  expected.head.mean = MeanActivation::linear;
  expected.similarity = SimilarityKind::joint;
  expected.training.epochs = 3;
  expected.training.schedule = setting::Schedule::linear_increase;
  expected.evaluation.two_way_pairs = setting::TwoWayPairs::drop;
  expected.evaluation.auprc = setting::Auprc::sweep;
  EXPECT_EQ(parse(concat(minimal_trial, "recipe: paper\n")), expected);

  expected.training.epochs = 1;
  // Before or after the recipe, a key overrides it.
  EXPECT_EQ(parse(concat("training: {epochs: 1}\n", minimal_trial, "recipe: paper\n")), expected);
}

TEST(Trial, PrintedItReadsBackEqual) {
  std::vector<Trial> trials = {parse(std::string(minimal_trial)), parse(concat(minimal_trial, "recipe: paper"))};
  Trial trial = trials[0];
  trial.backbone = {
      .path = {}, .architecture = setting::Architecture::minilm_l6, .init = setting::Init::random, .tokenizer = "/t"};
  trial.data.test = {{"b", "/x"}, {"a", "/x"}, {"null", "/null"}, {"1e3", "/1"}, {"true", "/y"}};
  trial.data.own_dev = {{"1e3", "/d"}, {"b", "/b"}};
  trial.data.cache = "/c";
  trial.training.learning_rate = 0.1 + 0.2;
  trial.training.clip_norm = std::numeric_limits<double>::denorm_min();
  trial.training.weight_decay = 1.0 / 3;
  trial.training.dropout = 0.0;
  trials.push_back(trial);
  trial.data.train.clear();
  for (const char* name : {"a b",
                           "#",
                           "a: b",
                           "- x",
                           "\"quoted\"",
                           "'",
                           "back\\slash",
                           "tab\t",
                           "line\nbreak",
                           "*a",
                           "&a",
                           "{a}",
                           "~",
                           "null",
                           "12",
                           "caf\u00e9 \u4e2d\U0001F600",
                           "\u0085\u00a0\u2028\ufeff",
                           "\x01\x7f",
                           "%",
                           "@",
                           "`",
                           "trailing ",
                           "!!int 3",
                           "---",
                           "..a"}) {
    trial.data.train.push_back(std::filesystem::path("/base") / name);
  }
  trials.push_back(trial);
  for (const Trial& each : trials) {
    const std::string yaml = to_yaml(each);
    EXPECT_EQ(parse(yaml), each) << yaml;
    EXPECT_EQ(to_yaml(parse(yaml)), yaml);
  }
}

TEST(Trial, PrintingNamesEveryKeyThatIsSet) {
  const std::string yaml = to_yaml(parse(std::string(minimal_trial)));
  EXPECT_EQ(yaml.find("format: gausscse-trial/1\n"), 0u);
  std::size_t found = 0;
  for (const TrialKey& key : trial_keys()) {
    if (key.name == "backbone.architecture" || key.name == "backbone.tokenizer") continue;
    if (key.name == "format") continue;  // on the first line
    const std::string line = concat("\n", key.section().empty() ? "" : "  ", key.word(), ":");
    EXPECT_NE(yaml.find(line), std::string::npos) << key.name << "\n" << yaml;
    ++found;
  }
  EXPECT_GT(found, 34u);
}

TEST(Trial, OverridesWinOverTheFile) {
  const std::string yaml = concat(minimal_trial, "training: {epochs: 2, seed: 4}\n");
  const Trial trial = parse(yaml, {"training.epochs=5", "data.train=[x, y]", "data.test.snli=s", "output=/o",
                                   "recipe=paper", "loss=ent", "training.epochs=6", "data.test.mnli=m"});
  EXPECT_EQ(trial.training.epochs, 6);
  EXPECT_EQ(trial.training.seed, 4);
  EXPECT_EQ(trial.loss, Loss::ent);
  EXPECT_EQ(trial.output, "/o");
  EXPECT_EQ(trial.recipe, setting::Recipe::paper);
  EXPECT_EQ(trial.similarity, SimilarityKind::joint);
  EXPECT_EQ(trial.data.train, (std::vector<std::filesystem::path>{"/base/x", "/base/y"}));
  EXPECT_EQ(trial.data.dev, "/base/dev.jsonl");
  EXPECT_EQ(trial.data.test,
            (std::vector<std::pair<std::string, std::filesystem::path>>{{"snli", "/base/s"}, {"mnli", "/base/m"}}));
}

TEST(Trial, OverridesCanGiveWhatTheFileLacks) {
  const Trial trial =
      parse("format: gausscse-trial/1\nbackbone:\n", {"backbone.path=/m", "data.train=t", "data.dev=d", "output=o"});
  EXPECT_EQ(trial.backbone.path, "/m");
  EXPECT_EQ(trial.output, "/base/o");
}

TEST(Trial, PathsInAFileStartFromItsFolder) {
  const TemporaryFolder folder;
  testing_support::write_bytes(folder / "trial.yaml", concat("\xEF\xBB\xBF", minimal_trial));
  const Trial trial = read_trial(folder / "trial.yaml", {"output=other"});
  EXPECT_EQ(trial.backbone.path, folder / "model");
  EXPECT_EQ(trial.output, folder / "other");
}

TEST(Trial, TokenCacheFollowsTheSettingThenTheEnvironment) {
  const char* old_home = std::getenv("HOME");
  const std::string home = old_home ? old_home : "";
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
}

TEST(TrialReference, IsInTheDocumentation) {
  std::ifstream file(testing_support::golden("../../docs/trial.md"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(trial_reference()), std::string::npos) << "docs/trial.md lacks this table, put it there:\n"
                                                                   << trial_reference();
}

}  // namespace
}  // namespace gausscse
