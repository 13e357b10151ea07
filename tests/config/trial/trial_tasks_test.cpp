#include "config/tasks/nli_thresholds.hpp"
#include "config/trial/task_map.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::vector<TaskSettings> tasks_of(const std::string& tasks) {
  return parse(with("tasks:\n" + tasks)).tasks;
}

/// Returns the refusal of a trial with these tasks, the first of them in its sixth line.
std::string refusal_of_tasks(const std::string& tasks) {
  return refusal(with("tasks:\n" + tasks));
}

TEST(TrialTasks, AreReadInTheirOrder) {
  EXPECT_EQ(tasks_of("  z: {kind: nli, files: [n]}\n  a: {files: g, kind: geometry}\n  m: {kind: sts, files: s}\n"),
            (std::vector<TaskSettings>{{"z", 0, NliTaskSettings{.file = "/base/n"}},
                                       {"a", 0, GeometryTaskSettings{.file = "/base/g"}},
                                       {"m", 0, StsTaskSettings{.files = {"/base/s"}}}}));
}

TEST(TrialTasks, OfEachKindWithEveryKey) {
  const auto tasks = tasks_of(R"(
  dev: {kind: nli, files: d}
  nli: {kind: nli, files: n, threshold: dev, rows: dev, two_way_pairs: drop, no_gold_label: drop, auprc: sweep,
        by: genre, eval_every: 4}
  sts: {kind: sts, files: [s, /t], year: 12, collapse_white_space: false, eval_every: 5}
  geometry: {kind: geometry, files: g, pads: true, samples: 2, draws: 1000, seed: 3, vectors: true, vectors_at: 12, eval_every: 6}
  transfer: {kind: transfer, files: [t], tasks: [SST5, SICKEntailment, MR], mode: fast, seed: 4294967295, eval_every: 7}
)");
  EXPECT_EQ(tasks.at(1), (TaskSettings{"nli", 4,
                                       NliTaskSettings{.file = "/base/n",
                                                       .threshold = "dev",
                                                       .rows = setting::SickRows::dev,
                                                       .two_way_pairs = setting::TwoWayPairs::drop,
                                                       .no_gold_label = setting::NoGoldLabel::drop,
                                                       .auprc = setting::Auprc::sweep,
                                                       .by = "genre"}}));
  EXPECT_EQ(
      tasks.at(2),
      (TaskSettings{"sts", 5, StsTaskSettings{.files = {"/base/s", "/t"}, .year = 12, .collapse_white_space = false}}));
  EXPECT_EQ(tasks.at(3),
            (TaskSettings{"geometry", 6,
                          GeometryTaskSettings{
                              .file = "/base/g",
                              .measured = {.pads = true, .samples = 2, .draws = 1000, .seed = 3, .vectors = true},
                              .vectors_at = 12}}));
  EXPECT_EQ(tasks.at(4),
            (TaskSettings{"transfer", 7,
                          TransferTaskSettings{
                              .folder = "/base/t",
                              .tasks = {TransferDataset::sst5, TransferDataset::sick_entailment, TransferDataset::mr},
                              .mode = setting::TransferMode::fast,
                              .seed = 4294967295}}));
}

TEST(TrialTasks, OfRetrievalWithEveryKey) {
  const auto tasks = tasks_of(R"(
  nli: {kind: retrieval, files: [r], from: nli, rows: dev, columns: {premise: p}, labels: {entailment: 1}, eval_every: 8}
  beir: {kind: retrieval, files: b, from: beir, split: dev}
  plain: {kind: retrieval, files: b}
)");
  EXPECT_EQ(tasks.at(0), (TaskSettings{"nli", 8,
                                       RetrievalTaskSettings{.path = "/base/r",
                                                             .from = RetrievalFrom::nli,
                                                             .rows = setting::SickRows::dev,
                                                             .layout = {.premise = "p", .entailment = "1"}}}));
  EXPECT_EQ(
      tasks.at(1),
      (TaskSettings{"beir", 0, RetrievalTaskSettings{.path = "/base/b", .from = RetrievalFrom::beir, .split = "dev"}}));
  for (const TaskSettings& task : tasks)
    EXPECT_EQ(parse_tasks(concat("tasks: {", task.name, ": ", to_text(task), "}"), "printed", "/base").at(0), task);
  const auto& plain = std::get<RetrievalTaskSettings>(tasks.at(2).of_kind);
  EXPECT_EQ(plain.from, std::nullopt);
  EXPECT_EQ(plain.split, "test");
  EXPECT_EQ(plain.rows, setting::SickRows::test);
}

/// A folder's files are those of its layout and split, a file is itself.
TEST(TrialTasks, ContentFilesOfRetrievalTasks) {
  const TemporaryFolder folder;
  write_bytes(folder / "pairs.jsonl", "x");
  const auto files = [](const RetrievalTaskSettings& settings) {
    return content_files_of(TaskSettings{"r", 0, settings});
  };
  using Files = std::vector<std::filesystem::path>;
  EXPECT_EQ(files({.path = folder.path(), .split = "dev"}),
            (Files{folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels/dev.tsv"}));
  EXPECT_EQ(files({.path = folder / "pairs.jsonl"}), Files{folder / "pairs.jsonl"});
  EXPECT_EQ(files({.path = "no folder", .from = RetrievalFrom::beir}),
            (Files{"no folder/corpus.jsonl", "no folder/queries.jsonl", "no folder/qrels/test.tsv"}));
}

TEST(TrialTasks, HaveColumnsAndLabelsOfTheirOwn) {
  const auto tasks = tasks_of(R"(
  n: {kind: nli, files: n, columns: {premise: p, hypothesis: h, label: l}, labels: {entailment: 1, neutral: 0, contradiction: 2, none: ""}}
  turned: {kind: nli, files: n, labels: {yes: entailment, no: contradiction}}
  s: {kind: sts, files: s, columns: {premise: p, hypothesis: h, score: g}}
)");
  const CorpusLayout nli{.premise = "p",
                         .hypothesis = "h",
                         .label = "l",
                         .entailment = "1",
                         .neutral = "0",
                         .contradiction = "2",
                         .none = ""};
  EXPECT_EQ(tasks.at(0), (TaskSettings{"n", 0, NliTaskSettings{.file = "/base/n", .layout = nli}}));
  EXPECT_EQ(tasks.at(1),
            (TaskSettings{"turned", 0,
                          NliTaskSettings{.file = "/base/n", .layout = {.entailment = "yes", .contradiction = "no"}}}));
  EXPECT_EQ(
      tasks.at(2),
      (TaskSettings{
          "s", 0, StsTaskSettings{.files = {"/base/s"}, .layout = {.premise = "p", .hypothesis = "h", .score = "g"}}}));
  EXPECT_EQ(parse_tasks(concat("tasks: {n: ", to_text(tasks[0]), "}"), "printed", "/base").at(0), tasks[0]);
}

TEST(TrialTasks, TransferTasksHaveSimCsesDefaults) {
  const auto tasks = tasks_of("  t: {kind: transfer, files: t}\n  one: {kind: transfer, files: t, tasks: TREC}\n");
  const auto& transfer = std::get<TransferTaskSettings>(tasks[0].of_kind);
  std::vector<std::string> listed;
  for (const TransferDataset dataset : transfer.tasks) listed.emplace_back(name_of(dataset));
  EXPECT_EQ(listed, (std::vector<std::string>{"MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC"}));
  EXPECT_EQ(transfer.mode, setting::TransferMode::full);
  EXPECT_EQ(transfer.seed, 1111);
  EXPECT_EQ(std::get<TransferTaskSettings>(tasks[1].of_kind).tasks, std::vector{TransferDataset::trec});
}

/// A transfer task reads the files of the sets that are asked for, if they are in its folder.
TEST(TrialTasks, ContentFilesOfTransferTasks) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& file) {
    std::filesystem::create_directories((folder / file).parent_path());
    write_bytes(folder / file, "x");
  };
  for (const char* file : {"CR/custrev.pos", "CR/custrev.neg", "MR/rt-polarity.pos", "TREC/TREC_10.label", "CR/other"})
    write(file);
  const TaskSettings task{
      "t", 0, TransferTaskSettings{.folder = folder.path(), .tasks = {TransferDataset::trec, TransferDataset::cr}}};
  EXPECT_EQ(content_files_of(task),
            (std::vector<std::filesystem::path>{folder / "TREC/TREC_10.label", folder / "CR/custrev.pos",
                                                folder / "CR/custrev.neg"}));
  EXPECT_EQ(files_of(task), std::vector<std::filesystem::path>{folder.path()});
}

TEST(TrialTasks, DefaultsByValue) {
  const auto tasks =
      tasks_of("  n: {kind: nli, files: n}\n  s: {kind: sts, files: s}\n  g: {kind: geometry, files: g}\n");
  for (const TaskSettings& task : tasks) EXPECT_EQ(task.eval_every, 0);
  const auto& nli = std::get<NliTaskSettings>(tasks[0].of_kind);
  EXPECT_EQ(nli.threshold, "own");
  EXPECT_FALSE(nli.rows || nli.two_way_pairs || nli.no_gold_label || nli.auprc);
  const auto& sts = std::get<StsTaskSettings>(tasks[1].of_kind);
  EXPECT_EQ(sts.year, 0);
  EXPECT_TRUE(sts.collapse_white_space);
  const GeometrySettings& geometry = std::get<GeometryTaskSettings>(tasks[2].of_kind).measured;
  EXPECT_FALSE(geometry.pads);
  EXPECT_EQ(geometry.samples, 1000);
  EXPECT_EQ(geometry.draws, 10);
  EXPECT_EQ(geometry.seed, 0);
  EXPECT_FALSE(geometry.vectors);
}

TEST(TrialTasks, ThresholdsAreOwnANumberOrThatOfAnotherTask) {
  const auto tasks = tasks_of(R"(
  first: {kind: nli, files: a, threshold: dev}
  dev: {kind: nli, files: b, threshold: own}
  fixed: {kind: nli, files: c, threshold: -2.5e-1}
  a5: {kind: nli, files: d}
  number: {kind: nli, files: e, threshold: 0.5}
  sts: {kind: sts, files: s}
)");
  const auto fixed = [&](std::size_t i) { return fixed_threshold_of(std::get<NliTaskSettings>(tasks[i].of_kind)); };
  EXPECT_EQ(threshold_task_of(tasks[0]), "dev");
  EXPECT_FALSE(fixed(0).has_value());
  EXPECT_EQ(threshold_task_of(tasks[1]), "");
  EXPECT_FALSE(fixed(1).has_value());
  EXPECT_EQ(threshold_task_of(tasks[2]), "");
  EXPECT_EQ(fixed(2), -0.25);
  EXPECT_EQ(threshold_task_of(tasks[4]), "");
  EXPECT_EQ(fixed(4), 0.5);
  EXPECT_EQ(threshold_task_of(tasks[5]), "");
}

TEST(TrialTasks, ThresholdsThatComeFromNowhere) {
  const auto with_dev = [](const std::string& threshold) {
    return refusal_of_tasks(
        "  dev: {kind: nli, files: d}\n  fixed: {kind: nli, files: f, threshold: 0.5}\n" +
        ("  sts: {kind: sts, files: s}\n  a: {kind: nli, files: a, threshold: " + threshold + "}\n"));
  };
  EXPECT_EQ(with_dev("dev"), "accepted");
  EXPECT_TRUE(says_only(with_dev("dve"),
                        "trial.yaml:9:39: tasks.a.threshold: \"dve\" is neither a number nor another NLI task with the "
                        "threshold own, did you mean \"dev\"?"));
  for (const char* other : {"a", "sts", "fixed", "none", "nan", "inf", "0.5x", "1e999"})
    EXPECT_TRUE(says_only(with_dev(other), concat("tasks.a.threshold: \"", other, "\" is neither a number nor")));
  EXPECT_TRUE(says_only(with_dev("\"\""), "tasks.a.threshold: the text is empty (allowed: own, the name of another"));
  EXPECT_TRUE(says_only(with_dev(""), "tasks.a.threshold: an empty value is not a text"));
  // A chain of three: the threshold must be of the task itself.
  EXPECT_TRUE(says_only(refusal_of_tasks("  a: {kind: nli, files: a, threshold: b}\n"
                                         "  b: {kind: nli, files: b, threshold: c}\n  c: {kind: nli, files: c}\n"),
                        "trial.yaml:6:39: tasks.a.threshold: \"b\" is neither a number nor another NLI task"));
  const std::string ring =
      refusal_of_tasks("  a: {kind: nli, files: a, threshold: b}\n  b: {kind: nli, files: b, threshold: a}\n");
  EXPECT_TRUE(says(ring, "tasks.a.threshold: \"b\" is neither"));
  EXPECT_TRUE(says(ring, "tasks.b.threshold: \"a\" is neither"));
  // Whether a task that could not be read has a threshold is not known.
  EXPECT_TRUE(says_only(refusal_of_tasks("  dev: {kind: nil, files: d}\n  a: {kind: nli, files: a, threshold: dev}\n"),
                        "tasks.dev.kind: \"nil\" is not known, did you mean \"nli\"?"));
}

TEST(TrialTasks, AreRefusedWithPlaceAndWhatIsAllowed) {
  struct Case {
    std::string task, message;
  };
  const Refusal cases[] = {
      {".a: {kind: sts, files: x}", "trial.yaml:6:3: the name of a task, \".a\", is not 1 to 64 letters"},
      {"sts.2012: {kind: sts, files: x}",
       "trial.yaml:6:3: the name of a task, \"sts.2012\", is not 1 to 64 letters, digits, dashes and underscores (a "
       "dot "
       "would end it in --set tasks.NAME.KEY=VALUE)"},
      {"a/b: {kind: sts, files: x}", "the name of a task, \"a/b\", is not"},
      {"own: {kind: sts, files: x}", "trial.yaml:6:3: a task cannot be called \"own\""},
      {"-5: {kind: sts, files: x}", "a task cannot be called \"-5\""},
      {"0.5: {kind: sts, files: x}", "the name of a task, \"0.5\", is not 1 to 64 letters"},
      {"a: 3", "trial.yaml:6:6: tasks.a: \"3\" is not a map of keys: NAME: {kind: sts, files: ...}"},
      {"a: {files: x}", "trial.yaml:6:3: tasks.a.kind is missing: add it (nli, sts, geometry"},
      {"a: {kind: stss, files: x}",
       "trial.yaml:6:13: tasks.a.kind: \"stss\" is not known, did you mean \"sts\"? (allowed: nli, sts, geometry"},
      {"a: {kind: [sts], files: x}", "tasks.a.kind: a list is not a text"},
      {"a: {kind: nli}",
       "trial.yaml:6:3: tasks.a.files: is missing: name a file, or hold examples of the training files out with data: "
       "{dev_fraction: 0.1}"},
      {"a: {kind: geometry}", "tasks.a.files is missing: add it (a path, or a list of one)"},
      {"a: {kind: sts}", "tasks.a.files is missing: add it (a path or a list of paths)"},
      {"a: {kind: sts, files: []}", "tasks.a.files: the list is empty"},
      {"a: {kind: nli, files: [x, y]}",
       "trial.yaml:6:25: tasks.a.files: a task of this kind takes one file (allowed: a path, or a list of one)"},
      {"a: {kind: geometry, files: [x, y]}", "tasks.a.files: a task of this kind takes one file"},
      {"a: {kind: nli, files: \"\"}", "tasks.a.files: the path is empty"},
      {"a: {kind: sts, files: x, eval_evry: 3}",
       "trial.yaml:6:28: the key \"tasks.a.eval_evry\" is not known, did you mean \"tasks.a.eval_every\"?"},
      {"a: {kind: sts, files: x, threshold: own}", "the key \"tasks.a.threshold\" is not known; known here: kind, "},
      {"a: {kind: nli, files: x, year: 12}", "the key \"tasks.a.year\" is not known"},
      {"a: {kind: nli, files: x, pads: true}", "the key \"tasks.a.pads\" is not known"},
      {"a: {kind: geometry, files: x, auprc: sweep}", "the key \"tasks.a.auprc\" is not known"},
      {"a: {kind: sts, files: x, eval_every: -1}",
       "tasks.a.eval_every: \"-1\" is out of range (allowed: an integer from 0 to 1000000000)"},
      {"a: {kind: sts, files: x, year: 17}",
       "tasks.a.year: \"17\" is out of range (allowed: an integer from 12 to 16)"},
      {"a: {kind: sts, files: x, collapse_white_space: 1}", "collapse_white_space: \"1\" is not true or false"},
      {"a: {kind: nli, files: x, rows: train}", "tasks.a.rows: \"train\" is not known (allowed: dev or test)"},
      {"a: {kind: nli, files: x, two_way_pairs: no}", "tasks.a.two_way_pairs: \"no\" is not known"},
      {"a: {kind: nli, files: x, no_gold_label: no}", "tasks.a.no_gold_label: \"no\" is not known"},
      {"a: {kind: nli, files: x, auprc: no}", "(allowed: trapezoid or sweep)"},
      {"a: {kind: nli, files: x, threshold: [dev]}", "tasks.a.threshold: a list is not a text"},
      {"a: {kind: sts, files: x, columns: {label: l}}", "the key \"tasks.a.columns.label\" is not known"},
      {"a: {kind: nli, files: x, columns: {score: s}}", "the key \"tasks.a.columns.score\" is not known"},
      {"a: {kind: nli, files: x, labels: {1: neutral, 2: neutral}}",
       "tasks.a.labels: \"1\" and \"2\" both mean neutral: give each label one value"},
      {"a: {kind: transfer, files: [x, y]}", "tasks.a.files: a task of this kind takes one folder"},
      {"a: {kind: transfer}", "tasks.a.files is missing"},
      {"a: {kind: transfer, files: x, tasks: []}", "tasks.a.tasks: the list is empty"},
      {"a: {kind: transfer, files: x, tasks: [MR, SST]}",
       "trial.yaml:6:45: tasks.a.tasks: \"SST\" is not known, did you mean \"SST2\"?"},
      {"a: {kind: transfer, files: x, tasks: [MR, CR, MR]}", "tasks.a.tasks: \"MR\" is there twice"},
      {"a: {kind: transfer, files: x, mode: slow}", "tasks.a.mode: \"slow\" is not known"},
      {"a: {kind: transfer, files: x, seed: 4294967296}", "(allowed: an integer from 0 to 4294967295)"},
      {"a: {kind: retrieval}", "tasks.a.files is missing"},
      {"a: {kind: retrieval, files: [x, y]}", "tasks.a.files: a task of this kind takes one folder or file"},
      {"a: {kind: retrieval, files: x, from: bier}", "tasks.a.from: \"bier\" is not known, did you mean \"beir\"?"},
      {"a: {kind: retrieval, files: x, rows: train}", "tasks.a.rows: \"train\" is not known"},
      {"a: {kind: geometry, files: x, samples: 1}", "(allowed: an integer from 2 to 100000)"},
      {"a: {kind: geometry, files: x, draws: 1001}", "(allowed: an integer from 0 to 1000)"},
      {"a: {kind: geometry, files: x, seed: -1}", "tasks.a.seed: \"-1\" is out of range"},
      {"a: {kind: geometry, files: x, pads: 1}", "tasks.a.pads: \"1\" is not true or false"},
  };
  expect_refusals(cases, [&](const std::string& text) { return refusal_of_tasks("  " + text + "\n"); });
  EXPECT_TRUE(says_only(refusal(with("tasks: 3")), "trial.yaml:5:8: tasks: \"3\" is not a map from names to tasks"));
  EXPECT_TRUE(says_only(refusal(with("tasks: {}")), "trial.yaml:5:8: tasks: the map is empty: give a task"));
  EXPECT_TRUE(says(refusal_of_tasks("  a: {kind: sts, files: x}\n  a: {kind: sts, files: y}\n"), "trial.yaml:7:3: "));
}

TEST(TrialTasks, AllTheirProblemsComeAtOnce) {
  const std::string message =
      refusal_of_tasks("  a: {kind: sts}\n  b: {kind: no, files: x}\n  c: {kind: geometry, year: 3}\n");
  for (const char* part : {"tasks.a.files is missing", "tasks.b.kind: \"no\" is not known", "tasks.c.files is missing",
                           "the key \"tasks.c.year\" is not known"})
    EXPECT_TRUE(says(message, part));
}

TEST(TrialTasks, AsTextHaveEveryKeyThatIsSet) {
  const auto tasks =
      tasks_of("  n: {kind: nli, files: n, rows: test}\n  s: {kind: sts, files: [s, t], eval_every: 3}\n");
  EXPECT_EQ(to_text(tasks[0]), "{kind: nli, files: \"/base/n\", threshold: \"own\", rows: test, eval_every: 0}");
  EXPECT_EQ(to_text(tasks[1]),
            "{kind: sts, files: [\"/base/s\", \"/base/t\"], collapse_white_space: true, eval_every: 3}");
}

}  // namespace
}  // namespace gausscse
