#include "config/trial/trial_keys.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::size_t lines(const std::string& text) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(TrialErrors, ValuesAreRefusedWithPlaceKeyValueAndWhatIsAllowed) {
  const Refusal cases[] = {
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
      {"training: {micro_batch: -1}",
       R"(training.micro_batch: "-1" is out of range (allowed: an integer from 0 to 10000000))"},
      {"training: {micro_batch: auto}", R"(training.micro_batch: "auto" is not an integer (allowed: )"},
      {"training: {virtual_shards: 0}", R"(training.virtual_shards: "0" is out of range (allowed: an integer from 1 )"},
      {"training: {batch_size: 0}", R"(training.batch_size: "0" is out of range)"},
      {"training: {batch_size: -64}", R"(training.batch_size: "-64" is out of range)"},
      {"training: {batch_size: 99999999999999999999}",
       R"(batch_size: "99999999999999999999" is not an integer of 64 bits)"},
      {"training: {learning_rate: 0}", R"(training.learning_rate: "0" is out of range (allowed: a number above 0))"},
      {"training: {learning_rate: -1e-5}", R"(training.learning_rate: "-1e-5" is out of range)"},
      {"training: {learning_rate: .inf}", R"(training.learning_rate: ".inf" is not a number)"},
      {"training: {learning_rate: .nan}", R"(training.learning_rate: ".nan" is not a number)"},
      {"training: {learning_rate: 010}", R"(training.learning_rate: "010" is not a number without leading zeros)"},
      {"training: {learning_rate: nan}", R"(training.learning_rate: "nan" is not a number)"},
      {"training: {learning_rate: 1e999}", R"(training.learning_rate: "1e999" is not a number that a double can hold)"},
      {"training: {learning_rate: 3e-5x}", R"(training.learning_rate: "3e-5x" is not a number)"},
      {"training: {learning_rate: 1_000}", R"(training.learning_rate: "1_000" is not a number)"},
      {"training: {learning_rate: .}", R"(training.learning_rate: "." is not a number)"},
      {"training: {learning_rate: 1e}", R"(training.learning_rate: "1e" is not a number)"},
      {"objective: {temperature: 0}", R"(objective.temperature: "0" is out of range (allowed: a number from 1e-04 to)"},
      {"training: {warmup_ratio: 1.01}", R"(warmup_ratio: "1.01" is out of range (allowed: a number from 0 to 1))"},
      {"training: {warmup_ratio: -0.01}", R"(training.warmup_ratio: "-0.01" is out of range)"},
      {"training: {weight_decay: -1}", R"(training.weight_decay: "-1" is out of range)"},
      {"training: {max_tokens: 2}", R"(training.max_tokens: "2" is out of range (allowed: an integer from 3 to)"},
      {"training: {dropout: 1}",
       R"(training.dropout: "1" is out of range (allowed: from_config, or a number from 0 to below 1))"},
      {"training: {dropout: none}", R"(training.dropout: "none" is not a number (allowed: from_config, or)"},
      {"training: {clip_norm: -1}", R"(training.clip_norm: "-1" is out of range)"},
      {"training: {seed: -1}", R"(training.seed: "-1" is out of range)"},
      {"training: {precision: fp16}", R"("fp16" is not known, did you mean "fp32"? (allowed: fp32, bf16 or int8))"},
      {"training: {parameters: heads}",
       R"("heads" is not known, did you mean "head"? (allowed: all, head, or {from_layer: N}, N an integer from 0 to 1000))"},
      {"training: {decay_biases_and_norms: yes}", R"("yes" is not true or false)"},
      {"objective: {loss: pos+neg}", R"(trial.yaml:5:19: objective.loss: "pos+neg" is not known)"},
      {"objective: {similarity: per-dimension}", R"("per-dimension" is not known, did you mean "per_dimension"?)"},
      {"objective: {similarity: cosine}",
       R"(trial.yaml:5:25: objective.similarity: "cosine" cannot be chosen here (allowed: per_dimension, joint, wasserstein, symmetric or bhattacharyya))"},
      {"objective: {similarity: x}",
       R"("x" is not known (allowed: per_dimension, joint, wasserstein, symmetric or bhattacharyya))"},
      {"objective: {kind: cosine, directions: both}",
       R"(objective.kind: "cosine" is not known (allowed: gaussian_contrastive, cosine_contrastive, )"},
      {"objective: {with_simcse: 1}", R"(objective.with_simcse: "1" is not true or false)"},
      {"recipe: simcse\nobjective: {hard_negative_weight: 1e5}",
       R"(hard_negative_weight: "1e5" is out of range (allowed: a number)"},
      {"recipe: realeased", R"(recipe: "realeased" is not known, did you mean "released"?)"},
      {"recipe: x",
       R"("x" is not known (allowed: released, paper, simcse, contrastive_pairs, head, tune, dynamics or liao))"},
      {"training: 3",
       R"(trial.yaml:5:11: training: "3" is not a map of keys; allowed: parameters, epochs, batch_size)"},
      {"training: [epochs]", "training: a list is not a map of keys"},
      {"objective: {kind: [a]}", "objective.kind: a list is not a text"},
      {"select: dev", R"(select: "dev" is not a map of keys; allowed: task, figure)"},
      {"evaluation: {auprc: }", "evaluation.auprc: an empty value is not a text"},
  };
  expect_refusals(cases, [&](const std::string& text) { return refusal(with(text)); });
}

TEST(TrialErrors, UnknownKeysNameTheNearest) {
  const Refusal cases[] = {
      {"num_train_epochs: 3", R"(the key "num_train_epochs" is not known, here it is called "training.epochs")"},
      {"training: {per_device_train_batch_size: 3}",
       R"(the key "training.per_device_train_batch_size" is not known, here it is called "training.batch_size" (the batch )"
       "of all ranks together, not of one device)"},
      {"training: {gradient-accumulation-steps: 3}",
       R"(here it is called "training.micro_batch" (examples embedded at a)"},
      {"output_dir: x", R"(the key "output_dir" is not known, here it is called "output")"},
      {"objective: {scale: 20}",
       R"(here it is called "objective.temperature" (its reciprocal: a scale of 20 is a temperature of 0.05))"},
      {"training: {lr: 1}", R"(here it is called "training.learning_rate")"},
      {"fp16: true", R"(here it is called "training.precision" (bf16 or fp32; there is no fp16))"},
      {"max_seq_length: 32", R"(here it is called "training.max_tokens" (special tokens included))"},
      {"eval_steps: 32", R"(here it is called "tasks" (eval_every, a key of each task))"},
      {"trainning: {epochs: 1}", R"(trial.yaml:5:1: the key "trainning" is not known, did you mean "training"?)"},
      {"training: {epoch: 1}",
       R"(trial.yaml:5:12: the key "training.epoch" is not known, did you mean "training.epochs"?)"},
      {"training: {zz: 1}", R"(the key "training.zz" is not known; known here: parameters, epochs, batch_size,)"},
      {"batch_size: 3",
       R"(the key "batch_size" is not known, did you mean "training.batch_size" (batch_size in the section training)?)"},
      {"lerning_rat: 3",
       R"(the key "lerning_rat" is not known, did you mean "training.learning_rate" (learning_rate in the section )"},
      {"training: {temprature: 3}", R"(did you mean "objective.temperature" (temperature in the section objective)?)"},
      {"training.epochs: 3", R"(the key "training.epochs" is not known)"},
      {"training: {loss: ent}",
       R"(the key "training.loss" is not known, did you mean "objective.loss" (loss in the section objective)?)"},
      {"pooling: mean",
       R"(the key "pooling" is not known, did you mean "model.pooling" (pooling in the section model)?)"},
      {"backbone: {path: m}", R"(the key "backbone" is not known, did you mean the section "model.backbone"?)"},
      {"head: {mean: tanh}", R"(the key "head" is not known, did you mean the section "model.head"?)"},
      {"training: {data: {}}", R"(the key "training.data" is not known, did you mean the section "data"?)"},
      {"training: {output: x}", R"(the key "training.output" is not known, did you mean "output" at the top level?)"},
      {"training: {reproducibility: fast}",
       R"(the key "training.reproducibility" is not known, did you mean "reproducibility" at the top level?)"},
      {"reproducibility: fast\ntraining: {micro_bach: 4}",
       R"(trial.yaml:6:12: the key "training.micro_bach" is not known, did you mean "training.micro_batch"?)"},
      {"reproducibility: fast\nmicro_batch: 4",
       R"(trial.yaml:6:1: the key "micro_batch" is not known, did you mean "training.micro_batch" (micro_batch in )"},
      {"reproducibility: {micro_batch: 4}", "reproducibility: a map of keys is not a text (allowed: fast or rank_inv"},
      {"required: nli", R"(the key "required" is not known; known here: format, recipe, model, objective, )"},
      {"select: {tsk: x}", R"(the key "select.tsk" is not known, did you mean "select.task"?)"},
      {"'': 3", R"(the key "" is not known)"},
      {"<<: {a: b}", R"(the key "<<" is not known)"},
  };
  expect_refusals(cases, [&](const std::string& text) { return refusal(with(text)); });
}

TEST(TrialErrors, UnknownKeysOfNestedSections) {
  const Refusal cases[] = {
      {"model: {backbone: {paht: m}}",
       R"(trial.yaml:2:20: the key "model.backbone.paht" is not known, did you mean "model.backbone.path"?)"},
      {"model: {path: m}",
       R"(the key "model.path" is not known, did you mean "model.backbone.path" (path in the section model.backbone)?)"},
      {"model: {bakbone: {path: m}}", R"(the key "model.bakbone" is not known, did you mean "model.backbone"?)"},
      {"model: {backbone: {path: m, loss: x}}", R"(did you mean "objective.loss" (loss in the section objective)?)"},
      {"model: {backbone: {path: m, x: y}}", "known here: path, architecture, init, tokenizer, vectors, texts"},
      {"model: {x: y}", R"(the key "model.x" is not known; known here: backbone, pooling, head)"},
      {"model: {backbone: m}", R"(trial.yaml:2:19: model.backbone: "m" is not a map of keys; allowed: path, arch)"},
      {"model: {backbone: {path: {a: b}}}", "model.backbone.path: a map of keys is not a text (allowed: a path)"},
  };
  expect_refusals(cases, [&](const std::string& text) {
    return refusal("format: gausscse-trial/2\n" + text + "\ndata: {train: t}\noutput: o\n");
  });
}

TEST(TrialErrors, NoKeyTakesANestedMap) {
  ASSERT_GT(trial_keys().size(), 45u);
  for (const Key<Trial>& key : trial_keys()) {
    if (key.holds_names) continue;
    const std::string message = refusal(std::string(minimal_trial), {key.name + "={a: {b: c}}"});
    EXPECT_TRUE(says(message, key.name + ": "));
    EXPECT_TRUE(says(message, "(allowed: " + key.allowed + ")"));
  }
}

TEST(TrialErrors, PathsAreChecked) {
  EXPECT_TRUE(says(refusal(with(""), {"output=\"\""}), "output: the path is empty"));
  EXPECT_TRUE(says(refusal(with(""), {"output=" + std::string(5000, 'x')}), "is longer than 4096 bytes"));
  EXPECT_TRUE(says(refusal(with(""), {R"(output="a\0b")"}), "holds a NUL character"));
  EXPECT_TRUE(says(refusal(with(""), {"data.train=[]"}), "data.train: the list is empty"));
  EXPECT_TRUE(says(refusal(with(""), {"data.train=[a, [b]]"}), "data.train: a list is not a text"));
}

TEST(TrialErrors, MissingKeysAreAllNamed) {
  const std::string message = refusal("recipe: paper\n");
  for (const char* name : {"format is missing", "data.train is missing", "output is missing"})
    EXPECT_TRUE(says(message, name));
  EXPECT_EQ(lines(message), 3u);
}

TEST(TrialErrors, AnotherFormatIsTheOnlyComplaint) {
  EXPECT_TRUE(says_only(refusal("format: gausscse-trial/3\nnew_key: 3\n"),
                        R"(trial.yaml:1:9: format: "gausscse-trial/3" is not a format this program knows)"));
  EXPECT_TRUE(says(refusal("format: gausscse-trial/3\n"), "(allowed: gausscse-trial/2)"));
}

TEST(TrialErrors, AllProblemsComeAtOnceUpToTwenty) {
  std::string yaml = with("objective: {loss: x, similarity: y}\ntraining: {epochs: 0, seeed: 1, batch_size: a}");
  EXPECT_EQ(lines(refusal(yaml)), 5u);
  for (int i = 0; i < 30; ++i) yaml += "unknown" + std::to_string(i) + ": 1\n";
  const std::string message = refusal(yaml);
  EXPECT_EQ(lines(message), 21u);
  EXPECT_TRUE(says(message, "and 15 more problems"));
}

TEST(TrialErrors, BadOverridesNameThemselves) {
  const Refusal cases[] = {
      {"training.epochs", R"(--set "training.epochs": is not of the form key=value)"},
      {"=3", R"(--set "=3": is not of the form key=value)"},
      {"training.epochs=1.5", R"(--set "training.epochs=1.5": training.epochs: "1.5" is not an integer)"},
      {"training.epochs=", "training.epochs: an empty value is not an integer"},
      {"training.epoch=1", R"(the key "training.epoch" is not known, did you mean "training.epochs"?)"},
      {"training={epochs: 1}", "\"training\" is a section: set its keys one by one"},
      {"output.x=1", "\"output\" is a value and has no keys"},
      {"..=1", "is not known"},
      {"model.backbone={path: m}", "\"model.backbone\" is a section: set its keys one by one"},
      {"tasks={a: {kind: sts, files: x}}", "\"tasks\" is a section: set its keys one by one"},
      {"tasks.dev.eval_every=5",
       R"(--set "tasks.dev.eval_every=5": tasks.dev.kind is missing: add it (nli, sts, geometry)"},
      {"model.backbone.path.x=1", "\"model.backbone.path\" is a value and has no keys"},
      {"model.head.maen=linear", R"(the key "model.head.maen" is not known, did you mean "model.head.mean"?)"},
      {"data.order=sorted", R"(data.order: "sorted" is not known (allowed: shuffled or file))"},
      {"data.examples=pairs",
       R"(data.examples: "pairs" is not known (allowed: triples, entailment_pairs or labelled_pairs))"},
      {"model.head.mean=relu", R"(--set "model.head.mean=relu": model.head.mean: "relu" is not known)"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s=1", "the key has too many parts"},
      {"data.train=\"a", "--set \"data.train=\"a\": not valid YAML"},
      {"output=*a", "not valid YAML"},
  };
  expect_refusals(
      cases, [&](const std::string& text) { return refusal(std::string(minimal_trial), {text}); }, says);
}

TEST(TrialErrors, FilesThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_trial(folder / "missing.yaml"), InputError);
  EXPECT_THROW(read_trial(folder.path()), InputError);
}

}  // namespace
}  // namespace gausscse
