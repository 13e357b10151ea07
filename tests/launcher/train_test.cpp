#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "results/result_file.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Train = TinyProjectTest;

TEST_F(Train, LeavesAWholeResult) {
  const fs::path json = folder_ / "figures.json";
  EXPECT_TRUE(says(run_expecting(0, {"train", project_.trial().string(), "--json", json.string()}).output, "tiny"));

  const RunResult result = read_result(project_.output() / "result.h5");
  EXPECT_EQ(result.training.step, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  ASSERT_EQ(result.curves.size(), 1u) << "tiny is measured at the end alone";
  EXPECT_EQ(curve_in(result.curves, "dev").step, (std::vector<std::int64_t>{0, 3, 6}));
  ASSERT_EQ(result.states.size(), 3u);
  EXPECT_EQ(result.states[0].state, "best");
  EXPECT_EQ(result.states[1].state, "last");
  EXPECT_EQ(result.states[1].step, 6);
  EXPECT_EQ(result.states[2].state, backbone_state);
  EXPECT_EQ(result.states[2].step, 0);
  for (const StateResult& state : result.states) {
    ASSERT_EQ(state.tasks.size(), 2u);
    EXPECT_TRUE(measurement_in(state, "dev").development);
    EXPECT_FALSE(measurement_in(state, "tiny").development);
    if (state.state == backbone_state)
      EXPECT_TRUE(measurement_in(state, "tiny").columns.empty());
    else
      EXPECT_EQ(labels_in(state, "tiny").size(), 36u);
  }
  EXPECT_EQ(result.provenance.ranks, 1);
  EXPECT_EQ(result.provenance.data_hashes.size(), 6u);
  // Each file that the trial reads, by its role.
  std::map<std::string, std::string> inputs(result.provenance.input_hashes.begin(),
                                            result.provenance.input_hashes.end());
  EXPECT_EQ(inputs.at("data.train/1"), content_hash(folder_ / "train.jsonl"));
  EXPECT_EQ(inputs.at("tasks.dev/1"), content_hash(folder_ / "dev.jsonl"));
  for (const char* file : {"config.json", "model.safetensors", "vocab.txt"})
    EXPECT_EQ(inputs.at(concat("model.backbone/", file)), content_hash(folder_ / "model" / file)) << file;
  for (const double loss : result.training.loss) EXPECT_TRUE(std::isfinite(loss));

  const nlohmann::json metrics = nlohmann::json::parse(read_whole_file(json, 1 << 20));
  EXPECT_EQ(metrics.at("format"), "gausscse-report/2");
  EXPECT_EQ(metrics.at("state"), "best");
  EXPECT_EQ(metrics.at("step"), result.states[0].step);
  const nlohmann::json& tasks = metrics.at("tasks");
  EXPECT_EQ(tasks.at("tiny").at("pairs"), 36);
  EXPECT_EQ(tasks.at("dev").at("auprc"), metric_in(result.states[0], "dev", "auprc"));
  EXPECT_EQ(tasks.at("tiny").at("threshold"), tasks.at("dev").at("threshold"));
  for (const char* file : {"config.json", "model.safetensors", "gausscse.safetensors", "vocab.txt", "README.md"})
    EXPECT_TRUE(fs::exists(project_.output() / "model" / file)) << file;
  for (const auto& entry : fs::directory_iterator(project_.output()))
    EXPECT_TRUE(std::set<std::string>({"model", "result.h5", ".gausscse"}).count(entry.path().filename().string()))
        << entry.path();
}

TEST_F(Train, CurveIsTheSameForAnyNumberOfRanks) {
  const std::vector<std::string> exact{"training.precision=fp32"};
  const RunResult one = train_to_result(project_, "one", 0, exact);
  bool same_bits = true;
  for (const int ranks : {1, 2, 3, 4}) {
    const RunResult many = train_to_result(project_, "many" + std::to_string(ranks), ranks, exact);
    EXPECT_EQ(many.provenance.ranks, ranks);
    ASSERT_EQ(many.training.loss.size(), one.training.loss.size());
    for (std::size_t i = 0; i < one.training.loss.size(); ++i)
      EXPECT_NEAR(many.training.loss[i], one.training.loss[i], 1e-4 * one.training.loss[i])
          << ranks << " ranks, step " << i;
    EXPECT_EQ(line_in(many, "dev", "auprc").front(), line_in(one, "dev", "auprc").front())
        << "evaluation does not depend on the ranks";
    same_bits = same_bits && many.training.loss == one.training.loss;
  }
  EXPECT_FALSE(same_bits) << "else the next test shows nothing";
}

class RankInvariantTrain : public testing::TestWithParam<const char*> {};

TEST_P(RankInvariantTrain, RunsHaveTheSameBits) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const auto settings = [](const char* micro_batch) {
    return std::vector<std::string>{"reproducibility=rank_invariant", "training.virtual_shards=8",
                                    std::string("training.precision=") + GetParam(),
                                    std::string("training.micro_batch=") + micro_batch};
  };
  const auto weights = [&](const std::string& output) {
    return read_whole_file(project.output(output) / "model" / "model.safetensors", 1 << 26);
  };
  const RunResult one = train_to_result(project, "one", 0, settings("0"));
  for (const int ranks : {1, 2, 3, 4, 8}) {
    const std::string name = "many" + std::to_string(ranks);
    const RunResult many = train_to_result(project, name, ranks, settings(ranks == 3 ? "1" : "0"));
    EXPECT_EQ(many.training.loss, one.training.loss) << ranks << " ranks";
    EXPECT_EQ(many.training.gradient_norm, one.training.gradient_norm) << ranks << " ranks";
    EXPECT_TRUE(weights(name) == weights("one")) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, RankInvariantTrain, testing::Values("fp32", "bf16"));

TEST_F(Train, WarnsOfRanksThatHaveNothingToDo) {
  const auto notes = [&](int ranks, std::vector<std::string> overrides) {
    overrides.push_back("training.max_steps=1");
    std::vector<std::string> arguments = train_arguments(project_, "", overrides);
    arguments.push_back("--overwrite");
    return run_expecting(0, arguments, {}, ranks).errors;
  };
  const std::string invariant = "reproducibility=rank_invariant";
  EXPECT_TRUE(says(notes(3, {invariant, "training.virtual_shards=2"}),
                   "3 ranks share batches of 2 virtual shards: some have nothing to do"));
  EXPECT_TRUE(says(notes(3, {invariant, "training.virtual_shards=4", "training.batch_size=2"}),
                   "3 ranks share batches of 2 examples: some have nothing to do"));
  EXPECT_FALSE(says(notes(2, {invariant, "training.virtual_shards=2"}), "nothing to do"));
}

TEST_F(Train, ReportsWhatTheRingSpares) {
  std::string triples = "sent0,sent1,hard_neg\n";
  for (int i = 0; i < 1400; ++i) {
    const std::string number = std::to_string(i % 55);
    triples += "w" + number + ",w1 w" + number + ",w2 w" + number + "\n";
  }
  write_bytes(folder_ / "triples.csv", triples);
  const ProgramRun run =
      run_expecting(0,
                    train_arguments(project_, "",
                                    {"data.train=[" + path("triples.csv") + "]", "training.batch_size=1400",
                                     "training.max_steps=1", "training.exchange=ring"}),
                    {}, 2);
  // Three roles of 1400 float32 embeddings, 64 numbers each, and their gradient: 2,150,400 bytes.
  EXPECT_TRUE(says(run.errors, "candidates travel around the ring of 2 ranks; gathered they would take 2 MiB a rank"));
}

TEST_F(Train, MicroBatchesChangeNothing) {
  const RunResult whole = train_to_result(project_, "whole", 0, {"training.precision=fp32"});
  const RunResult pieces =
      train_to_result(project_, "pieces", 0, {"training.precision=fp32", "training.micro_batch=3"});
  for (std::size_t i = 0; i < whole.training.loss.size(); ++i)
    EXPECT_NEAR(pieces.training.loss[i], whole.training.loss[i], 1e-4 * whole.training.loss[i]);
}

TEST_F(Train, ReadsFilesUnderAUsersNamesOfColumnsAndLabels) {
  const std::map<std::string, std::string> words{
      {"entailment", "supports"}, {"neutral", "unclear"}, {"contradiction", "refutes"}, {"-", "-"}};
  const auto renamed = [&](const std::string& name, const fs::path& corpus) {
    std::istringstream lines(read_whole_file(corpus, 1 << 24));
    std::string rows;
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json pair = nlohmann::json::parse(line);
      rows += nlohmann::json{{"claim", pair.at("sentence2")},
                             {"evidence", pair.at("sentence1")},
                             {"verdict", words.at(pair.at("gold_label"))}}
                  .dump() +
              "\n";
    }
    return file(name, rows);
  };
  const std::string train = renamed("claims.jsonl", project_.train()),
                    dev = renamed("dev-claims.jsonl", project_.dev());
  const RunResult known = train_to_result(project_, "known", 0);
  const RunResult own = train_to_result(
      project_, "own", 0,
      {concat("data.train=[\"", train, "\"]"), concat("tasks.dev.files=\"", dev, "\""), "data.columns.premise=evidence",
       "data.columns.hypothesis=claim", "data.columns.label=verdict", "data.labels.entailment=supports",
       "data.labels.neutral=unclear", "data.labels.contradiction=refutes"});
  EXPECT_EQ(own.training.loss, known.training.loss);
  for (std::size_t state = 0; state < 2; ++state)
    for (const char* metric : {"pairs", "auprc", "accuracy", "positives"})
      EXPECT_EQ(metric_of(measurement_in(own.states.at(state), "dev"), metric),
                metric_of(measurement_in(known.states.at(state), "dev"), metric));
}

TEST_F(Train, SameSeedSameBits) {
  const RunResult first = train_to_result(project_, "first", 0), second = train_to_result(project_, "second", 0);
  EXPECT_EQ(first.training.loss, second.training.loss);
  const RunResult other = train_to_result(project_, "other", 0, {"training.seed=1"});
  EXPECT_NE(first.training.loss, other.training.loss);
}

TEST_F(Train, RefusesToReplaceAnotherResultUnlessTold) {
  train_to_result(project_, "out", 0);
  const fs::path file = project_.output() / "result.h5";
  const std::string before = read_whole_file(file, 1 << 26);
  const std::vector<std::string> other = {"train", project_.trial().string(), "--set", "training.seed=1"};
  for (const int ranks : {0, 2}) {
    const ProgramRun refused = run_expecting(2, other, {}, ranks);
    for (const char* text : {"is the result of another configuration", "seed: 0", "seed: 1", "--overwrite"})
      EXPECT_TRUE(says(refused.errors, text));
    EXPECT_EQ(read_whole_file(file, 1 << 26), before);
  }
  write_bytes(file, before.substr(0, before.size() / 2));
  run_expecting(2, {"train", project_.trial().string()}, {file.string()});
  auto overwrite = other;
  overwrite.push_back("--overwrite");
  run_expecting(0, overwrite);
  EXPECT_TRUE(says(read_result(file).configuration, "seed: 1"));
}

/// A job that was ended, or requeued, after the result was written.
TEST_F(Train, HasNothingToDoWhereTheResultIsThere) {
  const fs::path file = project_.output() / "result.h5", checkpoints = project_.output() / "checkpoints";
  const fs::path first_metrics = folder_ / "first.json", metrics = folder_ / "figures.json";
  const ProgramRun first = run_expecting(0, {"train", project_.trial().string(), "--json", first_metrics.string()});
  const std::string before = read_whole_file(file, 1 << 26);
  for (const int ranks : {0, 3}) {
    fs::create_directories(checkpoints);
    const ProgramRun again = run_expecting(0, {"train", project_.trial().string(), "--json", metrics.string()},
                                           {"has its result already"}, ranks);
    EXPECT_EQ(again.output, first.output);
    EXPECT_EQ(read_whole_file(metrics, 1 << 20), read_whole_file(first_metrics, 1 << 20));
    EXPECT_EQ(read_whole_file(file, 1 << 26), before);
    EXPECT_FALSE(fs::exists(checkpoints));
    fs::remove(metrics);
  }
}

/// With no flags about it, `eval` computes and counts as the training did.
TEST_F(Train, SavedModelEvaluatesToTheSameMetrics) {
  append_unlabelled_pair(project_.test());
  using Overrides = std::vector<std::string>;
  for (const Overrides& overrides :
       {Overrides{}, Overrides{"recipe=paper", "training.precision=fp32", "evaluation.no_gold_label=drop"}}) {
    const std::string output = overrides.empty() ? "released" : "paper";
    const RunResult result = train_to_result(project_, output, 0, overrides);
    const auto metric_values_of = [&](const Overrides& flags) {
      const fs::path json = folder_ / "eval.json";
      run_expecting(0,
                    with({"eval", (project_.output(output) / "model").string(), "--dev", project_.dev().string(),
                          "--test", "tiny=" + project_.test().string(), "--json", json.string(), "--overwrite"},
                         flags),
                    {}, 2);
      return tasks_of_report(json).at("tiny");
    };
    const nlohmann::json metrics = metric_values_of({});
    const auto expected = [&](const char* metric) { return metric_in(result.states[0], "tiny", metric); };
    EXPECT_NEAR(metrics.at("auprc").get<double>(), expected("auprc"), 1e-6);
    EXPECT_EQ(metrics.at("threshold"), expected("threshold"));
    EXPECT_NEAR(metrics.at("direction_sim").get<double>(), expected("direction_sim"), 1e-6);
    EXPECT_EQ(metrics.at("pairs"), expected("pairs"));
    EXPECT_EQ(metric_values_of({"--no-gold-label", "drop"}).at("pairs"), 36);
    EXPECT_EQ(metric_values_of({"--no-gold-label", "non_entailment"}).at("pairs"), 37);
  }
}

}  // namespace
}  // namespace gausscse
