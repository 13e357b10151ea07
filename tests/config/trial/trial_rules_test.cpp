#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(TrialRules, BackbonesContradictThemselves) {
  const std::string rest = "data: {train: t}\noutput: o\nformat: gausscse-trial/2\n";
  const Refusal cases[] = {
      {"{}", "trial.yaml:1:9: model.backbone: is missing: add model: {backbone: {path: <a model folder>}}"},
      {"{path: m, architecture: bert-base}",
       "trial.yaml:1:29: model.backbone.architecture: does not go with model.backbone.path"},
      {"{path: m, init: random}",
       "trial.yaml:1:29: model.backbone.init: \"random\" goes with model.backbone.architecture only"},
      {"{path: m, tokenizer: t}", "model.backbone.tokenizer: goes with model.backbone.architecture only"},
      {"{architecture: bert-base, tokenizer: t}",
       "model.backbone.architecture: a name brings no weights: add init: random"},
      {"{architecture: bert-base, init: random}", "model.backbone.tokenizer: is missing"},
      {"{path: o/model}",
       "model.backbone.path: \"/base/o/model\" lies in \"/base/o/model\", which this run writes: choose another "
       "output"},
      {"{path: o/model/x}", "which this run writes"},
      {"{architecture: bert-base, init: random, tokenizer: o/model}",
       "model.backbone.tokenizer: \"/base/o/model\" lies"},
  };
  expect_refusals(cases, [&](const std::string& text) { return refusal("model: {backbone: " + text + "}\n" + rest); });
  EXPECT_EQ(refusal("model: {backbone: {path: o/models}}\n" + rest), "accepted");
  EXPECT_EQ(refusal("model: {backbone: {architecture: bert-base, init: random, tokenizer: t}}\n" + rest), "accepted");
  EXPECT_TRUE(says_only(refusal(rest), "trial.yaml:1:1: model.backbone: is missing"));
}

TEST(TrialRules, GivenVectorsGoWithAHeadAloneAndNoEncoder) {
  const std::string rest = "data: {train: t}\noutput: o\nformat: gausscse-trial/2\n";
  const Refusal cases[] = {
      {"{vectors: v}", "model.backbone.texts: is missing: name the text file"},
      {"{texts: t}", "model.backbone.vectors: is missing: model.backbone.texts are the sentences of its rows"},
      {"{vectors: v, texts: t, path: m}",
       "trial.yaml:1:42: model.backbone.path: does not go with model.backbone.vectors"},
      {"{vectors: v, texts: t, architecture: bert-base}", "model.backbone.architecture: does not go with"},
      {"{vectors: v, texts: t, tokenizer: m}", "model.backbone.tokenizer: does not go with"},
      {"{vectors: v, texts: t, init: random}", "model.backbone.init: \"random\" goes with"},
      {"{vectors: o/model/v, texts: t}", "model.backbone.vectors: \"/base/o/model/v\" lies"},
      {"{vectors: v, texts: o/model/t}", "model.backbone.texts: \"/base/o/model/t\" lies"},
  };
  const std::string head = "training: {parameters: head}\n" + rest;
  expect_refusals(cases, [&](const std::string& text) { return refusal("model: {backbone: " + text + "}\n" + head); });
  const std::string vectors = "model: {backbone: {vectors: v, texts: t}}\n";
  EXPECT_EQ(refusal(vectors + head), "accepted");
  EXPECT_TRUE(says_only(refusal(vectors + rest),
                        "training.parameters: all: model.backbone.vectors have no encoder to train: choose "
                        "training.parameters: head"));
  // Its precision has no bearing.
  EXPECT_EQ(refusal(vectors + "device: cuda\ntraining: {parameters: head, precision: int8}\n" + rest), "accepted");
}

TEST(TrialRules, LabelsHaveValuesOfTheirOwn) {
  const auto of_labels = [](const std::string& labels) {
    return refusal(
        concat("format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\ndata: {train: t, labels: {",
               labels, "}}\n"));
  };
  EXPECT_EQ(of_labels("entailment: 1, neutral: 0, contradiction: 2"), "accepted");
  EXPECT_EQ(of_labels("entailment: 1, none: \"\""), "accepted");
  for (const auto& [labels, key] : {std::pair("entailment: 1, neutral: 1", "neutral"),
                                    {"entailment: 1, contradiction: 1", "contradiction"},
                                    {"neutral: 1, contradiction: 1", "contradiction"},
                                    {"neutral: 1, none: 1", "none"},
                                    {"neutral: 1.0, contradiction: 1", "contradiction"}})
    EXPECT_TRUE(says(of_labels(labels), concat("data.labels.", key, ": \"1\" stands for another label, too")));
}

TEST(TrialRules, KeysThatHaveNoBearing) {
  const Refusal cases[] = {
      {"recipe: simcse\nobjective: {loss: ent}",
       "trial.yaml:6:13: objective.loss: goes with objective.kind gaussian_contrastive only: remove it, or change"},
      {"recipe: simcse\nobjective: {similarity: joint}", "objective.similarity: goes with objective.kind gaussian_c"},
      {"recipe: simcse\nobjective: {with_simcse: false}", "objective.with_simcse: goes with objective.kind gaussian_c"},
      {"objective: {hard_negatives: true}", "objective.hard_negatives: goes with objective.kind cosine_contrastive"},
      {"objective: {directions: one}", "objective.directions: goes with objective.kind cosine_contrastive only"},
      {"objective: {hard_negative_weight: 0}",
       "objective.hard_negative_weight: goes with objective.kind cosine_contrastive and objective.hard_negatives true"},
      {"recipe: dynamics\nobjective: {hard_negative_weight: 1}", "objective.hard_negative_weight: goes with"},
      {"recipe: dynamics\ndata: {triples: all, train: t}",
       "trial.yaml:5:8: data.triples: goes with data.examples triples only"},
  };
  for (const Refusal& each : cases) {
    SCOPED_TRACE(each.text);
    std::string yaml = with(each.text);
    // A section stands once in a file.
    if (each.text.find("data:") != std::string::npos)
      yaml.erase(yaml.find("data:"), yaml.find("output:") - yaml.find("data:"));
    EXPECT_TRUE(says_only(refusal(yaml), each.message));
  }
  for (const char* recipe : {"simcse", "dynamics"})
    EXPECT_TRUE(says_only(refusal(with(concat("recipe: ", recipe)), {"model.head.mean=tanh"}),
                          "--set \"model.head.mean=tanh\": model.head.mean: goes with model.head.kind gaussian only"));
  // A model of pooled tokens has nothing to draw, unless its objective has a classifier.
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {"model.head.init=random"}),
                        "model.head.init: goes with model.head.kind gaussian or mlp_tanh, or an objective with a pair "
                        "classifier only"));
  EXPECT_EQ(refusal(with("recipe: dynamics\nobjective: {kind: pair_classification}"),
                    {"model.head.init=random", "data.examples=labelled_pairs"}),
            "accepted");
  // What has a bearing is not refused.
  EXPECT_EQ(refusal(with("recipe: simcse\nobjective: {hard_negative_weight: 1, directions: both}")), "accepted");
  EXPECT_EQ(refusal(with("recipe: paper"), {"model.head.mean=tanh", "data.triples=all"}), "accepted");
}

TEST(TrialRules, HeadsGoWithObjectives) {
  EXPECT_TRUE(says_only(refusal(with(""), {"model.head.kind=none"}),
                        "model.head.kind: none does not go with objective.kind gaussian_contrastive, which compares "
                        "Gaussians: choose gaussian"));
  EXPECT_TRUE(says_only(refusal(with("recipe: paper"), {"model.head.kind=mlp_tanh"}), "mlp_tanh does not go with"));
  EXPECT_TRUE(says_only(refusal(with("recipe: simcse"), {"model.head.kind=gaussian"}),
                        "model.head.kind: gaussian does not go with objective.kind cosine_contrastive, which compares "
                        "vectors: choose mlp_tanh or none"));
  // Next to a Gaussian term that is computed, a cosine is that of the means.
  const std::string sum = with(
      "objective: {kind: sum, terms: {g: {kind: gaussian_contrastive}, c: {kind: "
      "cosine_contrastive}}}");
  EXPECT_EQ(refusal(sum), "accepted");
  EXPECT_TRUE(says_only(refusal(sum, {"objective.terms.g.weight=0"}),
                        "model.head.kind: gaussian does not go with objective.terms.c.kind cosine_contrastive, which "
                        "compares vectors"));
  EXPECT_TRUE(
      says(refusal(sum, {"model.head.kind=none"}),
           "model.head.kind: none does not go with objective.terms.c.kind cosine_contrastive, which compares the "
           "means of Gaussians here: choose gaussian"));
  // The place is that of the nearest key that was written.
  EXPECT_TRUE(says_only(refusal(with("objective: {kind: cosine_contrastive}")), "trial.yaml:2:1: model.head.kind: "));
  EXPECT_EQ(refusal(with("objective: {kind: cosine_contrastive}"), {"model.head.kind=none"}), "accepted");
  EXPECT_EQ(refusal(with("recipe: simcse"), {"model.head.kind=none"}), "accepted");
  EXPECT_EQ(refusal(with("recipe: dynamics"), {"model.head.kind=mlp_tanh"}), "accepted");
}

TEST(TrialRules, VectorsAreKeptOfStepsThatAreMeasured) {
  const auto task = [](const char* keys) { return with(concat("tasks: {g: {kind: geometry, files: g, ", keys, "}}")); };
  EXPECT_EQ(refusal(task("vectors: true, eval_every: 50, vectors_at: 200")), "accepted");
  EXPECT_EQ(refusal(task("vectors_at: 0")), "accepted");
  EXPECT_TRUE(
      says_only(refusal(task("eval_every: 50, vectors_at: 200")), "tasks.g.vectors_at: goes with vectors: true"));
  EXPECT_TRUE(says_only(refusal(task("vectors: true, eval_every: 60, vectors_at: 200")),
                        "tasks.g.vectors_at: 200 is no multiple of eval_every, which is 60"));
  EXPECT_TRUE(says_only(refusal(task("vectors: true, vectors_at: 200")), "no multiple of eval_every, which is 0"));
  EXPECT_TRUE(says_only(refusal(task("vectors: true, eval_every: 50, vectors_at: 200"), {"training.max_steps=200"}),
                        "200 is not before the last step, training.max_steps 200"));
  EXPECT_EQ(refusal(task("vectors: true, eval_every: 50, vectors_at: 200"), {"training.max_steps=201"}), "accepted");
}

TEST(TrialRules, PairsHaveNoContradictions) {
  const std::string pairs = "data.examples=entailment_pairs";
  EXPECT_TRUE(says_only(refusal(with(""), {pairs}),
                        "data.examples: entailment_pairs have no contradicted hypotheses, which the objective needs: "
                        "choose triples, or objective.loss ent or ent+rev without with_simcse"));
  EXPECT_TRUE(says_only(refusal(with(""), {pairs, "objective.loss=ent+con"}), "choose triples, or objective.loss ent"));
  EXPECT_TRUE(
      says_only(refusal(with(""), {pairs, "objective.loss=ent", "objective.with_simcse=true"}), "without with_simcse"));
  EXPECT_TRUE(
      says_only(refusal(with("recipe: simcse"), {pairs}), "choose triples, or objective.hard_negatives: false"));
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {"objective.hard_negatives=true"}),
                        "entailment_pairs have no contradicted hypotheses"));
  EXPECT_EQ(refusal(with(""), {pairs, "objective.loss=ent"}), "accepted");
  EXPECT_EQ(refusal(with(""), {pairs, "objective.loss=ent+rev"}), "accepted");
  EXPECT_EQ(refusal(with("recipe: simcse"), {pairs, "objective.hard_negatives=false"}), "accepted");
  // Triples have all that any objective needs.
  EXPECT_EQ(refusal(with("recipe: dynamics"), {"data.examples=triples"}), "accepted");
  EXPECT_EQ(refusal(with(""), {"objective.loss=ent"}), "accepted");
}

TEST(TrialRules, LabelledPairsGoWithObjectivesOfLabels) {
  const std::string labelled = "data.examples=labelled_pairs", classification = "objective.kind=pair_classification";
  EXPECT_EQ(refusal(with("recipe: dynamics"), {labelled, classification, "objective.activation=relu"}), "accepted");
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {labelled}),
                        "data.examples: labelled_pairs do not go with objective.kind cosine_contrastive, which takes "
                        "every pair for an entailment: choose triples or entailment_pairs"));
  EXPECT_TRUE(says_only(refusal(with(""), {labelled, "objective.loss=ent"}), "labelled_pairs do not go with"));
  for (const char* examples : {"entailment_pairs", "triples"})
    EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {concat("data.examples=", examples), classification}),
                          concat("data.examples: ", examples,
                                 " do not go with objective.kind pair_classification, which learns from labels: choose "
                                 "labelled_pairs")));
  EXPECT_TRUE(says(refusal(with("objective: {kind: pair_classification}"), {labelled}),
                   "model.head.kind: gaussian does not go with objective.kind pair_classification"));
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics"), {labelled, classification, "objective.temperature=1"}),
                        "objective.temperature: goes with a contrastive objective.kind only"));
  EXPECT_TRUE(
      says_only(refusal(with("recipe: dynamics"), {"objective.activation=tanh"}),
                "objective.activation: goes with objective.kind pair_classification or augmented_classification only"));
}

TEST(TrialRules, TheRingIsNotRankInvariant) {
  EXPECT_TRUE(
      says_only(refusal(with("training: {exchange: ring}\nreproducibility: rank_invariant")),
                "trial.yaml:5:12: training.exchange: the ring adds up in an order that depends on the number of "
                "ranks: choose gather, or reproducibility: fast"));
  EXPECT_EQ(refusal(with("training: {exchange: ring}")), "accepted");
  EXPECT_EQ(refusal(with("training: {exchange: gather}\nreproducibility: rank_invariant")), "accepted");
}

TEST(TrialRules, GpusAreNotRankInvariant) {
  const std::string refused =
      "device: cuda does not go with reproducibility: rank_invariant, as sums on GPUs are not those of any number of "
      "ranks: choose device: cpu, or reproducibility: fast";
  EXPECT_TRUE(says_only(refusal(with("reproducibility: rank_invariant\ndevice: cuda")), "trial.yaml:6:1: " + refused));
  EXPECT_TRUE(says_only(refusal(with("reproducibility: rank_invariant"), {"device=cuda"}),
                        "--set \"device=cuda\": " + refused));
  for (const char* accepted : {"device: cuda", "device: auto\nreproducibility: rank_invariant",
                               "device: cpu\nreproducibility: rank_invariant"})
    EXPECT_EQ(refusal(with(accepted)), "accepted") << accepted;
  EXPECT_TRUE(says_only(refusal(with("device: gpu")), "device: \"gpu\" is not known"));
}

TEST(TrialRules, SelectNamesAMetricThatIsMeasured) {
  const std::string tasks = "tasks: {dev: {kind: nli, files: d, eval_every: 5}, stsb: {kind: sts, files: s}}\nselect: ";
  const Refusal cases[] = {
      {"{task: dev}", "trial.yaml:6:1: select.figure: is missing: name a metric of the task \"dev\""},
      {"{figure: auprc}", "trial.yaml:6:1: select.task: is missing: name the task that gives \"auprc\""},
      {"{task: dve, figure: auprc}",
       "trial.yaml:6:10: select.task: \"dve\" is none of the tasks, did you mean \"dev\"?"},
      {"{task: stsb, figure: spearman}",
       "trial.yaml:6:10: select.task: \"stsb\" is not measured while training: give it eval_every: <steps>"},
      {"{patience: 5}", "trial.yaml:6:10: select.patience: goes with select.task only: remove it, or change that"},
      {"{from_step: 5}", "trial.yaml:6:10: select.from_step: goes with select.task only: remove it, or change that"},
      {"{task: dev, figure: auprc, from_step: 11}\ntraining: {max_steps: 10}",
       "trial.yaml:6:36: select.from_step: is 11, more than the 10 steps of training.max_steps: no state could be "
       "chosen"},
  };
  expect_refusals(cases, [&](const std::string& text) { return refusal(with(tasks + text)); });
  for (const char* accepted : {"{task: dev, figure: auprc}", "{task: dev, figure: auprc, patience: 5}",
                               "{task: dev, figure: auprc, from_step: 10}\ntraining: {max_steps: 10}"})
    EXPECT_EQ(refusal(with(tasks + accepted)), "accepted") << accepted;
  EXPECT_EQ(refusal(with(tasks + "{task: stsb, figure: spearman}"), {"tasks.stsb.eval_every=1"}), "accepted");
  EXPECT_EQ(refusal(with(tasks)), "accepted");
  EXPECT_TRUE(says_only(refusal(with("select: {task: dev, figure: auprc}")), "\"dev\" is none of the tasks"));
}

/// The names are those of docs/tasks.md.
TEST(TrialRules, SelectNamesAMetricOfItsKindOfTask) {
  const std::string nli = "tasks: {dev: {kind: nli, files: d, eval_every: 5}}\nselect: {task: dev, figure: ";
  const auto of_nli = [&](const std::string& metric, const std::vector<std::string>& overrides = {}) {
    return refusal(with(nli + metric + "}"), overrides);
  };
  for (const char* metric :
       {"pairs", "accuracy", "threshold", "auprc", "directed_pairs", "direction_sim", "direction_var",
        "direction_length", "majority", "positives", "accuracy_own", "accuracy.neutral", "accuracy.contradiction",
        "direction_sim.premise_longer", "direction_var.similar_length", "directed_pairs.equal_length",
        "direction_length.similar_length", "direction_var.length_correlation"})
    EXPECT_EQ(of_nli(metric), "accepted") << metric;
  EXPECT_TRUE(says_only(of_nli("auprk"),
                        "trial.yaml:6:21: select.figure: the task \"dev\" gives no metric \"auprk\", did you mean "
                        "\"auprc\"? (docs/tasks.md lists those of a task of kind nli)"));
  for (const char* metric : {"f1", "spearman", "accuracy.", "accuracy.other", "accuracy.genre=a", "dev.auprc"})
    EXPECT_TRUE(says_only(of_nli(metric), "the task \"dev\" gives no metric \"" + std::string(metric) + "\""))
        << metric;
  EXPECT_EQ(of_nli("accuracy.genre=a", {"tasks.dev.by=genre"}), "accepted");
  EXPECT_TRUE(says_only(of_nli("accuracy.genre=", {"tasks.dev.by=genre"}), "gives no metric"));
  EXPECT_TRUE(says_only(of_nli("threshold.genre=a", {"tasks.dev.by=genre"}), "gives no metric"));

  const auto of_other = [&](const std::string& task, const std::string& metric, const char* recipe = "released") {
    return refusal(with(concat("recipe: ", recipe, "\ntasks: {t: {eval_every: 5, ", task,
                               "}}\nselect: {task: t, figure: ", metric, "}")));
  };
  for (const char* metric : {"spearman", "spearman_mean", "spearman_wmean", "spearman.MSRpar", "symmetric_spearman",
                             "symmetric_spearman.MSRpar", "pairs", "missing_subsets"})
    EXPECT_EQ(of_other("kind: sts, files: s", metric), "accepted") << metric;
  EXPECT_EQ(of_other("kind: sts, files: s", "spearman", "simcse"), "accepted");
  EXPECT_TRUE(says_only(of_other("kind: sts, files: s", "symmetric_spearman", "simcse"), "gives no metric"));
  EXPECT_TRUE(says_only(of_other("kind: sts, files: s", "accuracy"), "those of a task of kind sts"));
  for (const char* metric : {"accuracy", "accuracy.MR", "dev_accuracy.MRPC", "f1.MRPC"})
    EXPECT_EQ(of_other("kind: transfer, files: s", metric), "accepted") << metric;
  for (const char* metric : {"accuracy.SST5", "f1.MR", "f1"})
    EXPECT_TRUE(says_only(of_other("kind: transfer, files: s", metric), "gives no metric")) << metric;
  EXPECT_EQ(of_other("kind: transfer, files: s, tasks: [SST5]", "accuracy.SST5"), "accepted");
  const std::string retrieval = "kind: retrieval, files: s";
  for (const char* metric : {"recall_at_1", "recall_at_10", "recall_at_100", "mrr_at_10", "ndcg_at_10", "map",
                             "queries", "documents", "entailed_by_recall_at_1", "cosine_mrr_at_10"})
    EXPECT_EQ(of_other(retrieval, metric), "accepted") << metric;
  EXPECT_TRUE(says_only(of_other(retrieval, "recall_at_5"), "gives no metric"));
  EXPECT_EQ(of_other(retrieval, "recall_at_1", "simcse"), "accepted");
  EXPECT_TRUE(says(of_other(retrieval, "entailed_by_map", "simcse"), "entailed_by_map does not exist: the cosine"));
}

/// A key that has no effect on the task's files is refused.
TEST(TrialRules, KeysOfRetrievalGoWithTheirSource) {
  const TemporaryFolder folder;
  write_bytes(folder / "pairs.jsonl", "x");
  const auto of_task = [&](const std::string& keys, const std::string& path = "f") {
    return refusal(with(concat("tasks: {r: {kind: retrieval, files: \"", path, "\", ", keys, "}}")));
  };
  EXPECT_EQ(of_task("from: beir, split: dev"), "accepted");
  EXPECT_EQ(of_task("from: nli, rows: dev, columns: {premise: p}"), "accepted");
  EXPECT_EQ(of_task("from: sick, rows: dev"), "accepted");
  EXPECT_EQ(of_task("split: dev", folder.path().string()), "accepted");
  const std::string of_folder = "tasks.r.split: goes with a folder in BEIR's layout";
  EXPECT_TRUE(says_only(of_task("from: nli, split: dev"), of_folder));
  EXPECT_TRUE(says_only(of_task("split: dev", (folder / "pairs.jsonl").string()), of_folder));
  EXPECT_TRUE(says_only(of_task("from: beir, rows: dev"), "tasks.r.rows: goes with SICK.txt"));
  EXPECT_TRUE(says_only(of_task("from: beir, columns: {premise: p}"),
                        "tasks.r.columns.premise: has no effect on a folder in BEIR's layout"));
  EXPECT_TRUE(says_only(of_task("from: beir, split: a/b"), "tasks.r.split: \"a/b\" is no name of a file"));
  EXPECT_TRUE(says(of_task("from: nli, labels: {entailment: 1, neutral: 1}"), "stands for another label"));
}

TEST(TrialRules, CosinesHaveNoDirection) {
  const std::string tasks =
      "tasks: {dev: {kind: nli, files: d, eval_every: 5}}\nselect: {task: dev, figure: direction_sim}";
  EXPECT_EQ(refusal(with(tasks)), "accepted");
  EXPECT_TRUE(says_only(refusal(with("recipe: simcse\n" + tasks)),
                        "trial.yaml:7:21: select.figure: direction_sim does not exist: the cosine of two sentences has "
                        "no direction"));
  EXPECT_TRUE(says_only(refusal(with("recipe: dynamics\n" + tasks), {"select.figure=direction_var"}),
                        "select.figure: direction_var does not exist"));
  EXPECT_EQ(refusal(with("recipe: simcse\n" + tasks), {"select.figure=auprc"}), "accepted");
}

TEST(TrialRules, NothingIsReadFromWhatTheRunWrites) {
  EXPECT_TRUE(says_only(refusal(with(""), {"data.train=out/model/x"}), "data.train: \"/base/out/model/x\" lies in"));
  const std::string task = "tasks: {a: {kind: sts, files: [x, out/model/y]}, b: {kind: nli, files: z}}";
  EXPECT_TRUE(says_only(refusal(with(task)), "trial.yaml:5:24: tasks.a.files: \"/base/out/model/y\" lies in"));
  EXPECT_TRUE(says(refusal(with(task), {"output=elsewhere", "tasks.b.files=elsewhere/model/z"}),
                   "tasks.b.files: \"/base/elsewhere/model/z\" lies in"));
  EXPECT_EQ(refusal(with(task), {"output=elsewhere"}), "accepted");
}

TEST(TrialRules, HeldOutExamplesAreMeasuredByATaskWithoutFiles) {
  const std::string dev = "tasks: {dev: {kind: nli, eval_every: 5}}\nselect: {task: dev, figure: auprc}";
  EXPECT_EQ(refusal(with(dev), {"data.dev_fraction=0.1"}), "accepted");
  EXPECT_EQ(refusal(with(dev), {"data.dev_fraction=0.1", "tasks.b={kind: nli, files: b}"}), "accepted");
  EXPECT_TRUE(says_only(refusal(with(dev), {"data.dev_fraction=0"}), "tasks.dev.files: is missing: name a file, or"));
  const std::string unmeasured = "data.dev_fraction: no task measures the examples that it holds out: add a task";
  EXPECT_TRUE(says_only(refusal(with(""), {"data.dev_fraction=0.1"}), unmeasured));
  EXPECT_TRUE(says_only(refusal(with(dev), {"data.dev_fraction=0.1", "tasks.dev.files=d"}), unmeasured));
  for (const char* value : {"1", "-0.1", "1.5", "a"})
    EXPECT_TRUE(
        says_only(refusal(with(dev), {concat("data.dev_fraction=", value)}), "(allowed: a number from 0 to below 1)"))
        << value;
  EXPECT_TRUE(says_only(refusal(with(dev), {"data.dev_fraction=0.1", "tasks.dev.rows=test"}),
                        "tasks.dev.rows: goes with files: held-out examples are of the rows that data.train reads"));
}

TEST(TrialRules, NoTrainingFileCountsDouble) {
  EXPECT_TRUE(says_only(refusal(with(""), {"data.train=[a, b, ./a]"}), "data.train: \"/base/a\" is named twice"));
}

}  // namespace
}  // namespace gausscse
