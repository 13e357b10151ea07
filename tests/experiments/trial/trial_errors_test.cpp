#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/trial/trial_key.hpp"
#include "tests/experiments/trial/minimal_trial.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::minimal_trial;
using testing_support::refusal;
using testing_support::TemporaryFolder;

std::size_t lines(const std::string& text) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in:\n" << text;
}

/// The minimal trial with one more line: its fifth.
std::string with(const std::string& line) {
  return std::string(minimal_trial) + line + "\n";
}

TEST(TrialErrors, ValuesAreRefusedWithPlaceKeyValueAndWhatIsAllowed) {
  struct Case {
    std::string line, message;
  };
  const Case cases[] = {
      {"training: {epochs: 1.5}", R"(trial.yaml:5:20: training.epochs: "1.5" is not an integer (allowed: an integer)"},
      {"training: {epochs: yes}", R"(training.epochs: "yes" is not an integer)"},
      {"training: {epochs: '2'}", R"(training.epochs: "2" is not an integer (quotes make it a text))"},
      {"training: {epochs: 0}", R"(training.epochs: "0" is out of range (allowed: an integer from 1 to)"},
      {"training: {epochs: 0x10}", R"(training.epochs: "0x10" is not an integer)"},
      {"training: {epochs: 010}", R"(training.epochs: "010" is not an integer without leading zeros)"},
      {"training: {epochs: 1e1}", R"(training.epochs: "1e1" is not an integer)"},
      {"training: {epochs: }", "training.epochs: an empty value is not an integer"},
      {"training: {epochs: [1]}", "training.epochs: a list is not an integer"},
      {"training: {epochs: {a: 1}}", "training.epochs: a map of keys is not an integer"},
      {"training: {batch_size: 0}", R"(training.batch_size: "0" is out of range)"},
      {"training: {batch_size: -64}", R"(training.batch_size: "-64" is out of range)"},
      {"training: {batch_size: 99999999999999999999}",
       R"(batch_size: "99999999999999999999" is not an integer of 64 bits)"},
      {"training: {learning_rate: 0}", R"(training.learning_rate: "0" is out of range (allowed: a number above 0))"},
      {"training: {learning_rate: -1e-5}", R"(training.learning_rate: "-1e-5" is out of range)"},
      {"training: {learning_rate: .inf}", R"(training.learning_rate: ".inf" is not a number)"},
      {"training: {learning_rate: .nan}", R"(training.learning_rate: ".nan" is not a number)"},
      {"training: {learning_rate: nan}", R"(training.learning_rate: "nan" is not a number)"},
      {"training: {learning_rate: 1e999}", R"(training.learning_rate: "1e999" is not a number that a double can hold)"},
      {"training: {learning_rate: 3e-5x}", R"(training.learning_rate: "3e-5x" is not a number)"},
      {"training: {learning_rate: 1_000}", R"(training.learning_rate: "1_000" is not a number)"},
      {"training: {learning_rate: .}", R"(training.learning_rate: "." is not a number)"},
      {"training: {learning_rate: 1e}", R"(training.learning_rate: "1e" is not a number)"},
      {"training: {temperature: 0}", R"(training.temperature: "0" is out of range)"},
      {"training: {warmup_ratio: 1.01}", R"(warmup_ratio: "1.01" is out of range (allowed: a number from 0 to 1))"},
      {"training: {warmup_ratio: -0.01}", R"(training.warmup_ratio: "-0.01" is out of range)"},
      {"training: {weight_decay: -1}", R"(training.weight_decay: "-1" is out of range)"},
      {"training: {max_tokens: 2}", R"(training.max_tokens: "2" is out of range (allowed: an integer from 3 to)"},
      {"training: {dropout: 1}",
       R"(training.dropout: "1" is out of range (allowed: from_config, or a number from 0 to below 1))"},
      {"training: {dropout: none}", R"(training.dropout: "none" is not a number (allowed: from_config, or)"},
      {"training: {clip_norm: -1}", R"(training.clip_norm: "-1" is out of range)"},
      {"training: {seed: -1}", R"(training.seed: "-1" is out of range)"},
      {"training: {precision: fp16}", R"("fp16" is not known, did you mean "fp32"? (allowed: fp32 or bf16))"},
      {"training: {decay_biases_and_norms: yes}", R"("yes" is not true or false)"},
      {"loss: pos+neg", R"(trial.yaml:5:7: loss: "pos+neg" is not known)"},
      {"similarity: per-dimension", R"("per-dimension" is not known, did you mean "per_dimension"?)"},
      {"recipe: realeased", R"(recipe: "realeased" is not known, did you mean "released"?)"},
      {"training: 3", R"(trial.yaml:5:11: training: "3" is not a map of keys; allowed: epochs, batch_size)"},
      {"training: [epochs]", "training: a list is not a map of keys"},
      {"evaluation: {auprc: }", "evaluation.auprc: an empty value is not a text"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.line);
    const std::string message = refusal(with(each.line));
    expect_contains(message, each.message);
    EXPECT_EQ(lines(message), 1u) << message;
  }
}

TEST(TrialErrors, UnknownKeysNameTheNearest) {
  struct Case {
    std::string line, message;
  };
  const Case cases[] = {
      {"trainning: {epochs: 1}", R"(trial.yaml:5:1: the key "trainning" is not known, did you mean "training"?)"},
      {"training: {epoch: 1}",
       R"(trial.yaml:5:12: the key "training.epoch" is not known, did you mean "training.epochs"?)"},
      {"training: {lr: 1}", R"(the key "training.lr" is not known; known here: epochs, batch_size,)"},
      {"batch_size: 3", R"(the key "batch_size" is not known, did you mean "training.batch_size")"},
      {"training.epochs: 3", R"(the key "training.epochs" is not known)"},
      {"training: {loss: ent}", R"(the key "training.loss" is not known)"},
      {"'': 3", R"(the key "" is not known)"},
      {"<<: {a: b}", R"(the key "<<" is not known)"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.line);
    const std::string message = refusal(with(each.line));
    expect_contains(message, each.message);
    EXPECT_EQ(lines(message), 1u) << message;
  }
}

TEST(TrialErrors, NoKeyTakesANestedMap) {
  ASSERT_GT(trial_keys().size(), 35u);
  for (const TrialKey& key : trial_keys()) {
    const std::string message = refusal(std::string(minimal_trial), {key.name + "={a: {b: c}}"});
    expect_contains(message, key.name + ": ");
    expect_contains(message, "(allowed: " + key.allowed + ")");
  }
}

TEST(TrialErrors, PathsAndNamesAreChecked) {
  expect_contains(refusal(with("head: {mean: tanh}"), {"output=\"\""}), "output: the path is empty");
  expect_contains(refusal(with(""), {"output=" + std::string(5000, 'x')}), "is longer than 4096 bytes");
  expect_contains(refusal(with(""), {R"(output="a\0b")"}), "holds a NUL character");
  expect_contains(refusal(with(""), {"data.train=[]"}), "data.train: the list is empty");
  expect_contains(refusal(with(""), {"data.train=[a, [b]]"}), "data.train: a list is not a text");
  expect_contains(refusal(with(""), {"data.test=x"}), "data.test: \"x\" is not a map");
  expect_contains(refusal(with(""), {"data.test={a/b: x}"}), "data.test: the name \"a/b\" cannot be used");
  expect_contains(refusal(with(""), {"data.test={..: x}"}), "data.test: the name \"..\" cannot be used");
}

TEST(TrialErrors, MissingKeysAreAllNamed) {
  const std::string message = refusal("recipe: paper\n");
  for (const char* name : {"format is missing", "data.train is missing", "data.dev is missing", "output is missing"}) {
    expect_contains(message, name);
  }
  EXPECT_EQ(lines(message), 4u);
  std::string without_backbone(minimal_trial);
  without_backbone.erase(without_backbone.find("backbone"), std::string("backbone: {path: model}\n").size());
  expect_contains(refusal(without_backbone), "backbone is missing: add backbone: {path:");
}

TEST(TrialErrors, AnotherFormatIsTheOnlyComplaint) {
  const std::string message = refusal("format: gausscse-trial/2\nnew_key: 3\n");
  expect_contains(message, R"(trial.yaml:1:9: format: "gausscse-trial/2" is not a format this program knows)");
  expect_contains(message, "allowed: gausscse-trial/1");
  EXPECT_EQ(lines(message), 1u);
}

TEST(TrialErrors, AllProblemsComeAtOnceUpToTwenty) {
  std::string yaml = with("loss: x\nsimilarity: y\ntraining: {epochs: 0, seeed: 1, batch_size: a}");
  EXPECT_EQ(lines(refusal(yaml)), 5u);
  for (int i = 0; i < 30; ++i) yaml += "unknown" + std::to_string(i) + ": 1\n";
  const std::string message = refusal(yaml);
  EXPECT_EQ(lines(message), 21u);
  expect_contains(message, "and 15 more problems");
}

TEST(TrialErrors, KeysThatContradictEachOther) {
  const std::string rest = "data: {train: t, dev: d}\noutput: o\nformat: gausscse-trial/1\n";
  struct Case {
    std::string backbone, message;
  };
  const Case cases[] = {
      {"{}", "trial.yaml:1:1: backbone is missing"},
      {"{path: m, architecture: bert-base}",
       "trial.yaml:1:21: backbone.architecture: cannot stand beside backbone.path"},
      {"{path: m, init: random}", "backbone.init: \"random\" goes with backbone.architecture only"},
      {"{path: m, tokenizer: t}", "backbone.tokenizer: goes with backbone.architecture only"},
      {"{architecture: bert-base, tokenizer: t}", "backbone.architecture: a name brings no weights: add init: random"},
      {"{architecture: bert-base, init: random}", "backbone.tokenizer: is missing"},
      {"{path: o/model}", "backbone.path: \"/base/o/model\" lies in \"/base/o/model\", which this run writes"},
      {"{path: o/model/x}", "which this run writes"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.backbone);
    expect_contains(refusal("backbone: " + each.backbone + "\n" + rest), each.message);
  }
  EXPECT_EQ(refusal("backbone: {path: o/models}\n" + rest), "");
  expect_contains(refusal(with(""), {"data.train=[a, b, ./a]"}), "data.train: \"/base/a\" is named twice");
}

TEST(TrialErrors, OwnDevSetsBelongToTestSets) {
  const std::string yaml = with("evaluation: {threshold: own_dev}");
  expect_contains(refusal(yaml, {"data.test={snli: s, mnli: m, sick: k}", "data.own_dev={mnli: d}"}),
                  "evaluation.threshold: own_dev, but data.own_dev has no set for the test set \"snli\"");
  EXPECT_EQ(lines(refusal(yaml, {"data.test={snli: s, mnli: m, sick: k}", "data.own_dev={mnli: d}"})), 2u);
  EXPECT_EQ(refusal(yaml, {"data.test={snli: s, mnli: m}", "data.own_dev={mnli: d, snli: e}"}), "");
  // A name that fits no test set is a mistake whatever the threshold; own dev sets that are not used are none.
  expect_contains(refusal(with(""), {"data.test={snli: s}", "data.own_dev={snil: d}"}),
                  "data.own_dev: \"snil\" is no set of data.test, did you mean \"snli\"?");
  EXPECT_EQ(refusal(with(""), {"data.test={snli: s}", "data.own_dev={snli: d}"}), "");
  expect_contains(refusal(with(""), {"data.test={snli: s}", "data.own_dev={snli: out/model/d}"}),
                  "data.own_dev: \"/base/out/model/d\" lies in");
}

TEST(TrialErrors, BadOverridesNameThemselves) {
  struct Case {
    std::string override_text, message;
  };
  const Case cases[] = {
      {"training.epochs", R"(--set "training.epochs": is not of the form key=value)"},
      {"=3", R"(--set "=3": is not of the form key=value)"},
      {"training.epochs=1.5", R"(--set "training.epochs=1.5": training.epochs: "1.5" is not an integer)"},
      {"training.epochs=", "training.epochs: an empty value is not an integer"},
      {"training.epoch=1", R"(the key "training.epoch" is not known, did you mean "training.epochs"?)"},
      {"training={epochs: 1}", "\"training\" is a section: set its keys one by one"},
      {"output.x=1", "\"output\" has no keys of its own"},
      {"..=1", "is not known"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s=1", "no key has so many parts"},
      {"data.train=\"a", "--set \"data.train=\"a\": not valid YAML"},
      {"output=*a", "not valid YAML"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.override_text);
    expect_contains(refusal(std::string(minimal_trial), {each.override_text}), each.message);
  }
}

TEST(TrialErrors, FilesThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_trial(folder / "missing.yaml"), InputError);
  EXPECT_THROW(read_trial(folder.path()), InputError);
}

}  // namespace
}  // namespace gausscse
