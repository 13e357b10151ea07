#include <nlohmann/json.hpp>

#include "base/philox.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
/// A model that was trained, and two sets of 30 pairs: one as the STS benchmark, one as a partial year of SemEval.
class EvalTasks : public TinyProjectTest {
 protected:
  EvalTasks() {
    save_tiny_model(project_, saved(), {.similarity = Similarity::joint});
    const std::vector<std::string> sentences = tiny_sentences(120, 3);
    PhiloxStream stream(1, 2);
    std::string benchmark, input, scores;
    for (std::size_t i = 0; i < 60; ++i) {
      const std::string &first = sentences[2 * i], &second = sentences[2 * i + 1];
      const double score = stream.below(11) / 2.0;
      Set& set = i < 30 ? benchmark_ : year_;
      set.first.push_back(first);
      set.second.push_back(second);
      set.gold.push_back(score);
      if (i < 30)
        benchmark += concat("g\tf\ty\t1\t", score, "\t", first, "\t", second, "\n");
      else
        input += concat(first, "\t", second, "\n"), scores += concat(score, "\n");
    }
    write_bytes(folder_ / "sts-test.csv", benchmark);
    std::filesystem::create_directory(folder_ / "year");
    write_bytes(folder_ / "year/STS.input.FNWN.txt", input);
    write_bytes(folder_ / "year/STS.gs.FNWN.txt", scores);
    write_bytes(folder_ / "tasks.yaml",
                "tasks:\n  stsb: {kind: sts, files: [sts-test.csv]}\n  year: {kind: sts, files: year}\n"
                "  tokens: {kind: geometry, files: sts-test.csv, samples: 5, draws: 2}\n");
  }

  struct Set {
    std::vector<std::string> first, second;
    std::vector<double> gold;
  };

  std::string saved() const { return path("saved"); }
  std::string plain() const { return project_.model().string(); }
  std::string tasks() const { return path("tasks.yaml"); }

  json measure(const std::string& model, const std::vector<std::string>& options = {}, int ranks = 0) {
    const std::string report = path("report.json");
    last_ = run_program(with({"eval", model, "--tasks", tasks(), "--json", report, "--overwrite"}, options), ranks);
    EXPECT_EQ(last_.exit_code, 0) << last_.errors;
    return tasks_of_report(report);
  }

  Set benchmark_, year_;
  ProgramRun last_;
};

/// A Gaussian model has cosines of the means, and the symmetric similarity, both from its embeddings one by one.
TEST_F(EvalTasks, OfAGaussianModelAreTheMetricsOfItsMeansAndOfItsGaussians) {
  const json metrics = measure(saved(), {"--precision", "fp32"});
  for (const auto& [name, set] : std::map<std::string, Set>{{"stsb", benchmark_}, {"year", year_}}) {
    const std::vector<Embedding> first = embed_one_by_one(saved(), set.first),
                                 second = embed_one_by_one(saved(), set.second);
    std::vector<double> cosines, symmetric;
    for (std::size_t i = 0; i < set.gold.size(); ++i) {
      double product = 0, squares_p = 0, squares_q = 0, sum = 0;
      const std::size_t dimension = first[i].size() / 2;
      for (std::size_t d = 0; d < dimension; ++d) {
        const double p = static_cast<double>(first[i][d]), q = static_cast<double>(second[i][d]);
        const double v = std::exp(static_cast<double>(first[i][dimension + d])),
                     w = std::exp(static_cast<double>(second[i][dimension + d]));
        product += p * q;
        squares_p += p * p;
        squares_q += q * q;
        sum += (v / w + w / v - 2 + (p - q) * (p - q) * (1 / v + 1 / w)) / 4;
      }
      cosines.push_back(product / std::sqrt(squares_p * squares_q));
      symmetric.push_back(1 / (1 + sum));
    }
    EXPECT_NEAR(metrics[name]["spearman"].get<double>(), spearman(cosines, set.gold), 2e-3) << name;
    EXPECT_NEAR(metrics[name]["symmetric_spearman"].get<double>(), spearman(symmetric, set.gold), 2e-3) << name;
    EXPECT_NE(metrics[name]["spearman"], metrics[name]["symmetric_spearman"]);
    EXPECT_EQ(metrics[name]["pairs"], 30);
  }
  EXPECT_EQ(metrics["year"]["missing_subsets"], 2);
  EXPECT_FALSE(metrics["stsb"].contains("missing_subsets"));
  EXPECT_TRUE(says(last_.errors, "year: the subset headlines is missing: the year is partial"));
  EXPECT_TRUE(says(last_.errors, "year: the subset OnWN is missing"));
  EXPECT_TRUE(says(last_.output, "  symmetric_spearman %"));
  EXPECT_TRUE(says(last_.output, "\nyear: partial, without headlines, OnWN\n"));
  EXPECT_TRUE(says(last_.output, "\naverage of 2: year is partial, without headlines, OnWN\n"));
}

/// The order of the file is that of the report; the task of a threshold may stand behind it.
TEST_F(EvalTasks, NliTasksOfAFileAreThoseOfTheFlags) {
  append_unlabelled_pair(project_.test());
  write_bytes(folder_ / "tasks.yaml",
              "tasks:\n  tiny: {kind: nli, files: test.jsonl, threshold: dev}\n"
              "  gold: {kind: nli, files: test.jsonl, threshold: dev, no_gold_label: drop}\n"
              "  fixed: {kind: nli, files: test.jsonl, threshold: 0.25}\n  dev: {kind: nli, files: dev.jsonl}\n");
  const json by_file = measure(saved(), {}, 2);
  const std::string table = last_.output;
  const auto by_flags = [&](const std::vector<std::string>& flags) {
    const std::string report = path("report.json");
    run_expecting(0, with({"eval", saved(), "--json", report, "--overwrite"}, flags));
    return tasks_of_report(report);
  };
  const std::vector<std::string> sets{"--dev", project_.dev().string(), "--test", "tiny=" + project_.test().string()};
  const json by_sets = by_flags(sets);
  EXPECT_EQ(by_file["dev"], by_sets["dev"]);
  EXPECT_EQ(by_file["tiny"], by_sets["tiny"]);
  EXPECT_EQ(by_file["tiny"]["threshold"], by_file["dev"]["threshold"]);
  EXPECT_EQ(by_file["gold"], by_flags(with(sets, {"--no-gold-label", "drop"}))["tiny"]);
  EXPECT_EQ(by_file["gold"]["pairs"], 36);
  EXPECT_EQ(by_file["tiny"]["pairs"], 37);
  EXPECT_EQ(by_file["fixed"]["threshold"], 0.25);
  EXPECT_EQ(by_file["fixed"]["auprc"], by_file["tiny"]["auprc"]);
  EXPECT_LT(table.find("\ntiny "), table.find("\nfixed ")) << table;
  EXPECT_LT(table.find("\nfixed "), table.find("\ndev ")) << table;
  EXPECT_EQ(measure(saved(), {"--no-gold-label", "drop"})["tiny"], by_file["gold"])
      << "for tasks that say nothing themselves";
}

/// A task may be called as the flags call the model's own threshold.
TEST_F(EvalTasks, AThresholdIsThatOfTheTaskOfItsName) {
  write_bytes(folder_ / "tasks.yaml",
              "tasks:\n  tiny: {kind: nli, files: test.jsonl, threshold: saved}\n"
              "  saved: {kind: nli, files: dev.jsonl}\n");
  const json metrics = measure(saved());
  EXPECT_NE(metrics["saved"]["threshold"], 0.5) << "the model's";
  EXPECT_EQ(metrics["tiny"]["threshold"], metrics["saved"]["threshold"]);
}

/// An encoder without a Gaussian head compares by cosine, which has no direction.
TEST_F(EvalTasks, NliTasksOfAnyFolderHaveNoDirections) {
  write_bytes(folder_ / "tasks.yaml",
              "tasks:\n  dev: {kind: nli, files: dev.jsonl}\n"
              "  tiny: {kind: nli, files: test.jsonl, threshold: dev}\n");
  const json metrics = measure(plain(), {"--pooling", "mean"});
  for (const char* task : {"dev", "tiny"}) {
    EXPECT_TRUE(metrics[task]["direction_sim"].is_null());
    EXPECT_TRUE(metrics[task]["direction_var"].is_null());
    EXPECT_EQ(metrics[task]["threshold"], metrics["dev"]["threshold"]);
  }
  EXPECT_EQ(metrics["tiny"]["pairs"], 36);
  const std::string report = path("report.json");
  run_expecting(0, {"eval", plain(), "--pooling", "mean", "--dev", project_.dev().string(), "--test",
                    "tiny=" + project_.test().string(), "--json", report, "--overwrite"});
  EXPECT_EQ(tasks_of_report(report), metrics);
}

TEST_F(EvalTasks, OfAnyFolderTheyFollowThePooling) {
  std::map<std::string, double> spearman_of;
  for (const char* pooling : {"first_token", "mean", "mean_without_first", "max"}) {
    const json metrics = measure(plain(), {"--pooling", pooling});
    spearman_of[pooling] = metrics["stsb"]["spearman"];
    EXPECT_FALSE(metrics["stsb"].contains("symmetric_spearman"));
    EXPECT_EQ(metrics["tokens"]["norm"], metrics["tokens"]["norm.2"]);
    EXPECT_NE(metrics["tokens"]["norm"], metrics["tokens"]["norm.1"]);
    EXPECT_TRUE(metrics["tokens"].contains("rogue.share_of_top.3"));
    EXPECT_TRUE(metrics["tokens"].contains("informativity.1"));
  }
  for (const auto& [a, of_a] : spearman_of)
    for (const auto& [b, of_b] : spearman_of) EXPECT_TRUE(a == b || of_a != of_b) << a << b;
}

/// Such as the models that are found ready-made; its last module changes no cosine.
TEST_F(EvalTasks, OfAFolderOfSentenceTransformersTheyFollowItsPooling) {
  std::filesystem::create_directory(project_.model() / "1_Pooling");
  write_bytes(project_.model() / "modules.json",
              R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
                  {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                  {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  write_bytes(project_.model() / "1_Pooling/config.json", R"({"pooling_mode_max_tokens": true})");
  EXPECT_EQ(measure(plain()), measure(plain(), {"--pooling", "max"}));
  EXPECT_NE(measure(plain())["stsb"], measure(plain(), {"--pooling", "mean"})["stsb"]);
}

TEST_F(EvalTasks, AreTheSameOnSeveralRanks) {
  const json alone = measure(plain(), {"--pooling", "mean"}), of_three = measure(plain(), {"--pooling", "mean"}, 3);
  for (const auto& [task, metrics] : alone.items())
    for (const auto& [name, value] : metrics.items())
      EXPECT_NEAR(of_three[task][name].get<double>(), value.get<double>(), 1e-9) << task << name;
}

/// A training's own measurement of its last state, and that of the saved model by the command.
TEST_F(EvalTasks, LabelsOfAClassifierAreThoseThatTheTrainingTold) {
  write_bytes(folder_ / "tasks.yaml", "tasks:\n  labels: {kind: nli_labels, files: dev.jsonl}\n");
  const RunResult result =
      train_to_result(project_, "labels", 0,
                      with({"recipe=liao", "objective.activation=tanh",
                            "tasks.labels={kind: nli_labels, files: \"" + project_.dev().string() + "\"}"},
                           without_select));
  const json labels = measure((project_.output("labels") / "model").string())["labels"];
  const std::vector<Measurement>& measured = kept_state(result).tasks;
  const Measurement* trained = find_measurement(measured, "labels");
  ASSERT_TRUE(trained);
  ASSERT_EQ(labels.size(), trained->metrics.size());
  for (const Metric& metric : trained->metrics)
    EXPECT_EQ(labels[metric.name].get<double>(), metric.value) << metric.name;
}

/// A Gaussian model embeds 16 tokens of a sentence of 30 words, as in its training; its tokens are looked at to the
/// end.
TEST_F(EvalTasks, TokensOfLongSentencesAreLookedAtToTheEnd) {
  std::string text = "w1 w2\nw3\n", sentence = "w1";
  for (int i = 2; i <= 30; ++i) sentence += concat(" w", i % 10);
  write_bytes(folder_ / "text.txt", text + sentence + "\n");
  write_bytes(folder_ / "pairs.csv", "g\tf\ty\t1\t2\tw1\t" + sentence + "\ng\tf\ty\t1\t3\tw2\tw3\n");
  write_bytes(folder_ / "tasks.yaml",
              "tasks:\n  pairs: {kind: sts, files: [pairs.csv]}\n"
              "  tokens: {kind: geometry, files: text.txt, samples: 2, draws: 1}\n");
  measure(saved());
  EXPECT_TRUE(says(last_.errors, "pairs: 1 sentence has more than 16 tokens and is cut"));
  EXPECT_EQ(last_.errors.find("tokens: 1 sentences"), std::string::npos) << last_.errors;
}

/// Files of made-up transfer tasks, on one rank and on three; the report names a task whose files are missing.
TEST_F(EvalTasks, TransferTasksAreMeasuredAndMissingOnesNamed) {
  const auto write_tasks = [&](const std::string& folder, const std::string& names) {
    write_bytes(folder_ / "tasks.yaml",
                "tasks:\n  transfer: {kind: transfer, files: \"" + folder + "\", tasks: " + names + ", mode: fast}\n");
  };
  const std::filesystem::path files = golden("transfer/downstream");
  write_tasks(files.string(), "[SST5, MRPC]");
  const json alone = measure(saved())["transfer"];
  EXPECT_EQ(measure(saved(), {}, 3)["transfer"], alone);
  EXPECT_EQ(alone.size(), 6u);
  EXPECT_DOUBLE_EQ(alone["accuracy"].get<double>(),
                   (alone["accuracy.SST5"].get<double>() + alone["accuracy.MRPC"].get<double>()) / 2);
  std::filesystem::create_directory(folder_ / "downstream");
  std::filesystem::copy(files / "MRPC", folder_ / "downstream/MRPC");
  write_tasks(path("downstream"), "[MRPC, TREC]");
  const json partial = measure(saved())["transfer"];
  EXPECT_TRUE(partial["accuracy"].is_null());
  EXPECT_EQ(partial["accuracy.MRPC"], alone["accuracy.MRPC"]);
  EXPECT_TRUE(says(last_.errors, "the task TREC is left out"));
  const json report = json::parse(read_whole_file(folder_ / "report.json", 1 << 20));
  EXPECT_EQ(report["remarks"]["transfer"], "partial, without TREC");
}

/// A folder of a year that is another one on another node: the same names, one score differs.
TEST_F(EvalTasks, RanksThatReadOtherFilesAreRefused) {
  const auto other = folder_ / "other";
  std::filesystem::create_directory(other);
  for (const char* name : {"year", "sts-test.csv", "tasks.yaml"})
    std::filesystem::copy(folder_ / name, other / name, std::filesystem::copy_options::recursive);
  const auto arguments = [&](const std::filesystem::path& tasks) {
    return std::vector<std::string>{"eval", plain(), "--pooling", "mean", "--tasks", tasks.string()};
  };
  const RunSettings settings{.ranks = 2, .last_rank_arguments = arguments(other / "tasks.yaml")};
  run_expecting(0, arguments(tasks()), {}, settings);
  const std::string scores = read_whole_file(other / "year/STS.gs.FNWN.txt", 1 << 20);
  write_bytes(other / "year/STS.gs.FNWN.txt", "5\n" + scores.substr(scores.find('\n') + 1));
  run_expecting(2, arguments(tasks()), {"STS.gs.FNWN.txt"}, settings);
}

TEST_F(EvalTasks, BadInputIsRefused) {
  const auto refused = [&](const std::string& model, const std::vector<std::string>& options, const std::string& text) {
    run_expecting(2, with({"eval", model}, options), {text});
  };
  refused(plain(), {"--tasks", tasks()}, "give --pooling first_token, mean, mean_without_first or max");
  refused(saved(), {"--tasks", tasks(), "--pooling", "mean"}, "was trained with first_token: leave --pooling out");
  refused(saved(), {"--tasks", tasks(), "--test", "a=b"}, "--tasks");
  refused(plain(), {"--test", "a=" + project_.test().string()}, "give --pooling first_token");
  refused(plain(), {"--pooling", "mean", "--test", "a=" + project_.test().string()},
          "the model has no threshold for the set \"a\": give --dev FILE or --own-dev a=FILE");
  refused(saved(), {"--tasks", path("none.yaml")}, "none.yaml");
  refused(saved(), {"--tasks", tasks(), "--json", path("sts-test.csv")}, "--json");
  write_bytes(folder_ / "tasks.yaml", "tasks:\n  a: {kind: sts, files: [sts-test.csv, sts-test.csv]}\n");
  refused(saved(), {"--tasks", tasks()}, "two subsets that are called \"sts-test\"");
  write_bytes(folder_ / "tasks.yaml", "tasks:\n  a: {kind: sts, files: missing}\n");
  refused(saved(), {"--tasks", tasks()}, "missing");
  write_bytes(folder_ / "tasks.yaml", "tasks:\n  a: {kind: sts}\n");
  refused(saved(), {"--tasks", tasks()}, "tasks.yaml:2:6: tasks.a.files is missing");
}

}  // namespace
}  // namespace gausscse
