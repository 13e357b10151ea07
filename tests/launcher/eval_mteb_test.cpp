#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
// Of the tiny BERT, 32 wide, with 60 tokens, 70 positions, two types, and two layers with 48 between; a matrix and a
// bias, or a layer norm, in each bracket.
constexpr int parameters_of_encoder =
    (60 + 70 + 2) * 32 + (2 * 32) + 2 * (4 * (32 * 32 + 32) + (2 * 32) + (32 * 48 + 48) + (48 * 32 + 32) + (2 * 32));
constexpr int parameters_of_head = 2 * (32 * 32 + 32);  // of a Gaussian's mean and log-variance

class EvalMteb : public TinyProjectTest {
 protected:
  EvalMteb() {
    save_tiny_model(project_, saved(), {});
    write_bytes(folder_ / "tasks.yaml",
                "tasks:\n  sts: {kind: sts, files: sts.csv}\n  nli: {kind: nli, files: test.jsonl}\n"
                "  other: {kind: sts, files: sts.csv}\n"
                "  tokens: {kind: geometry, files: sts.csv, samples: 5, draws: 2}\n");
  }

  std::string saved() const { return path("saved"); }
  fs::path results() const { return folder_ / "results"; }

  ProgramRun eval(const std::string& model, const std::vector<std::string>& options, int ranks = 0) const {
    return run_program(with({"eval", model, "--tasks", path("tasks.yaml"), "--json", path("report.json"), "--mteb-json",
                             results().string(), "--overwrite"},
                            options),
                       ranks);
  }

  /// Returns the scores of a task's file.
  json scores(const fs::path& revision, const char* task) const {
    const json result = json::parse(read_whole_file(revision / task, 1 << 20));
    return result.at("scores").at("test").at(0);
  }

  /// Returns the only folder in a folder.
  static fs::path only(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  }
};

TEST_F(EvalMteb, WritesTheTasksThatHaveAName) {
  const std::vector<std::string> options{"--mteb-model", "lab/tiny",    "--mteb-task",
                                         "sts=TinySTS",  "--mteb-task", "nli=TinyPairs"};
  const ProgramRun run = eval(saved(), options, 2);
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const fs::path revision = only(results() / "lab__tiny");
  EXPECT_TRUE(says(run.errors, "results of 2 tasks as MTEB writes them: " + revision.string()));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(revision)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"TinyPairs.json", "TinySTS.json", "model_meta.json", "run_settings.jsonl"}));

  const json report = tasks_of_report(folder_ / "report.json");
  const json sts = scores(revision, "TinySTS.json");
  EXPECT_NEAR(sts.at("spearman").get<double>(), report["sts"]["symmetric_spearman"].get<double>(), 1e-6);
  EXPECT_NEAR(sts.at("cosine_spearman").get<double>(), report["sts"]["spearman"].get<double>(), 1e-6);
  EXPECT_EQ(sts.at("main_score"), sts.at("cosine_spearman"));
  const json pairs = scores(revision, "TinyPairs.json");
  EXPECT_EQ(pairs.at("main_score"), pairs.at("max_ap"));
  EXPECT_GT(pairs.at("similarity_ap").get<double>(), 0);

  const json meta = json::parse(read_whole_file(revision / "model_meta.json", 1 << 20));
  EXPECT_EQ(meta.at("name"), "lab/tiny");
  EXPECT_EQ(meta.at("revision"), revision.filename().string());
  EXPECT_EQ(meta.at("embed_dim"), 32);
  EXPECT_EQ(meta.at("max_tokens"), 16);
  EXPECT_EQ(meta.at("similarity_fn_name"), "custom");
  EXPECT_EQ(meta.at("n_parameters"), parameters_of_encoder + parameters_of_head);
  EXPECT_EQ(meta.at("n_embedding_parameters"), 60 * 32);
  // Its revision is only known when the model is open.
  run_expecting(2, with({"eval", saved(), "--tasks", path("tasks.yaml"), "--mteb-json", results().string()}, options),
                {"--mteb-json " + (revision / "TinyPairs.json").string() + " is there already"});
  // Once more it is the same model; another model is another revision.
  ASSERT_EQ(eval(saved(), options).exit_code, 0);
  EXPECT_EQ(only(results() / "lab__tiny"), revision);
  save_tiny_model(project_, folder_ / "other", {.head_seed = 6});
  ASSERT_EQ(eval(path("other"), options).exit_code, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(results() / "lab__tiny"), {}), 2);
}

TEST_F(EvalMteb, OfAPlainModelTheSimilarityIsTheCosine) {
  ASSERT_TRUE(ended(eval(project_.model().string(), {"--pooling", "mean", "--mteb-model", "lab/plain", "--mteb-task",
                                                     "sts=S", "--mteb-revision", "main"}),
                    0));
  const json sts = scores(results() / "lab__plain/main", "S.json");
  EXPECT_EQ(sts.at("spearman"), sts.at("cosine_spearman"));
  EXPECT_EQ(sts.at("pearson"), sts.at("cosine_pearson"));
  const json meta = json::parse(read_whole_file(results() / "lab__plain/main/model_meta.json", 1 << 20));
  EXPECT_EQ(meta.at("similarity_fn_name"), "cosine");
  EXPECT_EQ(meta.at("n_parameters"), parameters_of_encoder);
  EXPECT_EQ(meta.at("n_embedding_parameters"), 60 * 32);
}

/// A task's revision is that of its files' content; the time is that of its measurement.
TEST_F(EvalMteb, ReportsTheDataAndTheTime) {
  const auto revision = [&] {
    EXPECT_TRUE(
        ended(eval(saved(), {"--mteb-model", "lab/tiny", "--mteb-task", "sts=S", "--mteb-revision", "main"}), 0));
    const json result = json::parse(read_whole_file(results() / "lab__tiny/main/S.json", 1 << 20));
    EXPECT_GT(result.at("evaluation_time").get<double>(), 0);
    return result.at("dataset_revision").get<std::string>();
  };
  const std::string first = revision();
  EXPECT_TRUE(first.starts_with("files-")) << first;
  EXPECT_EQ(revision(), first);
  // Another score of the last pair.
  std::string text = read_whole_file(project_.sts(), 1 << 20);
  const std::size_t score = text.find("\t29\t") + 4;
  text.replace(score, text.find('\t', score) - score, "4.75");
  write_bytes(project_.sts(), text);
  EXPECT_NE(revision(), first);
}

TEST_F(EvalMteb, WhatMtebDoesNotHaveIsRefusedBeforeTheWork) {
  const auto refused = [&](const std::vector<std::string>& tasks, const std::string& text) {
    std::vector<std::string> options{"--mteb-model", "lab/tiny"};
    for (const std::string& task : tasks) options.insert(options.end(), {"--mteb-task", task});
    EXPECT_TRUE(ended(eval(saved(), options), 2, {text}));
    EXPECT_FALSE(fs::exists(results()));
    EXPECT_FALSE(fs::exists(folder_ / "report.json"));
  };
  refused({"tokens=T"}, "a task of kind geometry is none of MTEB's");
  refused({"stss=T"}, "there is no task \"stss\", did you mean \"sts\"?");
  refused({"sts"}, "--mteb-task \"sts\": give TASK=NAME");
  refused({"sts=A", "other=A"}, "is A already");
  refused({"sts=A", "sts=B"}, "is A already");
  refused({"sts=STSBenchmark"}, "MTEB's STSBenchmark has 1379 pairs, but the task has 30");
  refused({"nli=STS12"}, "the task is of kind nli, but MTEB's STS12 is one of sts");
  EXPECT_TRUE(ended(eval(saved(), {"--mteb-model", "lab/tiny"}), 2, {"--mteb-task"}));
}

/// There is no model: messages on other things come from checks before it.
TEST_F(EvalMteb, IsLookedAtBeforeTheModelIsRead) {
  const auto refusal = [&](const std::vector<std::string>& options, int ranks = 0) {
    const ProgramRun run =
        eval(path("none"),
             with({"--mteb-model", "lab/tiny", "--mteb-task", "sts=S", "--mteb-revision", "main"}, options), ranks);
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_FALSE(fs::exists(folder_ / "report.json"));
    return run.errors;
  };
  EXPECT_TRUE(says(refusal({}), path("none")));
  EXPECT_FALSE(fs::exists(results()));
  EXPECT_TRUE(says(refusal({"--mteb-task", "stss=T"}), "there is no task \"stss\""));
  write_bytes(results(), "mine");
  for (const int ranks : {0, 2}) EXPECT_TRUE(says(refusal({}, ranks), results().string() + " is a file"));
  EXPECT_EQ(read_whole_file(results(), 100), "mine");
  fs::remove(results());
  fs::create_directories(results() / "lab__tiny/main");
  write_bytes(results() / "lab__tiny/main/S.json", "{}");
  EXPECT_TRUE(says(refusal({}), path("none"))) << "it may be replaced";
  fs::remove(results() / "lab__tiny/main/S.json");
  fs::create_directory_symlink(results() / "lab__tiny", folder_ / "link");
  run_expecting(2,
                {"eval", path("none"), "--tasks", path("tasks.yaml"), "--json", path("link/S.json"), "--mteb-json",
                 results().string(), "--mteb-model", "lab/tiny", "--mteb-task", "sts=S"},
                {"lies among the results of --mteb-json"});
}

}  // namespace
}  // namespace gausscse
