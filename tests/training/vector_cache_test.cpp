#include "training/vector_cache.hpp"

#include <unistd.h>

#include "dist/communicator.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"
#include "training/arithmetic.hpp"

// Vectors of sentences that trainings of a head keep for each other.

namespace gausscse {
namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

const Texts head_of_vectors{"training.parameters=head", "training.learning_rate=0.01", "training.max_steps=4"};

class KeptVectors : public TrialTraining {
 protected:
  TinyRun train(const Texts& overrides = {}) const {
    return TrialTraining::train(joined(joined(head_of_vectors, overrides), keep_last));
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(training_.folder / "cache"))
      if (entry.path().extension() == ".vectors") found.push_back(entry.path());
    return found;
  }
  fs::path only_file() const {
    EXPECT_EQ(files().size(), 1u);
    return files().at(0);
  }

  static void expect_same(const TinyRun& run, const TinyRun& expected) {
    EXPECT_EQ(run.result.training.loss, expected.result.training.loss);
    EXPECT_EQ(parameters_of(run.model, {""}), parameters_of(expected.model, {""}));
  }
  static void expect_read(const TinyRun& run) {
    EXPECT_TOLD(run.told.notes, "sentence vectors: read from ");
    EXPECT_TRUE(run.told.embedded.empty());
    EXPECT_FALSE(holds(run.told.warnings, "sentence vectors")) << testing::PrintToString(run.told.warnings);
  }
  static void expect_embedded(const TinyRun& run) {
    EXPECT_TOLD(run.told.notes, "sentences went through the encoder");
    EXPECT_FALSE(holds(run.told.notes, "sentence vectors: read from "));
    EXPECT_FALSE(run.told.embedded.empty());
  }
};

TEST_F(KeptVectors, AreReadByTheNextTrainingWithTheSameBits) {
  for (const char* precision : {"fp32", "bf16", "int8"}) {
    SCOPED_TRACE(precision);
    const Texts keys{concat("training.precision=", precision)};
    const TinyRun first = train(keys);
    expect_embedded(first);
    EXPECT_TOLD(first.told.notes, "sentence vectors: kept in " + (training_.folder / "cache").string());
    const TinyRun second = train(keys);
    expect_read(second);
    expect_same(second, first);
    expect_same(train(joined(keys, {"data.cache=another"})), first);
  }
  EXPECT_EQ(files().size(), 3u);
}

/// Settings of head, objective and steps have no effect on them.
TEST_F(KeptVectors, DependOnAllThatDecidesThem) {
  train();
  for (const Texts& keys : std::vector<Texts>{{"training.seed=3"},
                                              {"training.max_steps=6", "objective.temperature=0.2"},
                                              {"model.head.log_var=mlp", "model.head.mean=identity"},
                                              {"objective.loss=ent"}}) {
    SCOPED_TRACE(testing::PrintToString(keys));
    expect_read(train(keys));
  }
  const fs::path csv = training_.write("other.csv", "sent0,sent1,hard_neg\nw1 w2,w3,w4\nw1 w2,w3,w5 \nw1,w2,w3\n");
  const Texts other{"data.train=[\"" + csv.string() + "\"]", "training.batch_size=2"};
  for (const Texts& keys : std::vector<Texts>{{"model.pooling=mean"},
                                              {"training.precision=bf16"},
                                              {"training.max_tokens=5"},
                                              {"reproducibility=rank_invariant"},
                                              {"model.backbone.path=" + training_.backbone("tiny-distilbert")},
                                              other}) {
    SCOPED_TRACE(testing::PrintToString(keys));
    const std::size_t before = files().size();
    expect_embedded(train(keys));
    EXPECT_EQ(files().size(), before + 1);
    expect_read(train(keys));
  }
}

TEST_F(KeptVectors, AreNotUsedWhereTheFileIsDamaged) {
  const TinyRun expected = train();
  const fs::path file = only_file();
  const std::string whole = read_whole_file(file, std::size_t{1} << 24);
  std::vector<std::string> damaged{whole.substr(0, whole.size() - 4), "", "text", whole + "x"};
  for (const std::size_t place :
       {std::size_t{3}, std::size_t{30}, std::size_t{50}, whole.size() / 2, whole.size() - 1}) {
    damaged.push_back(whole);
    damaged.back()[place] ^= 1;
  }
  for (const std::string& bytes : damaged) {
    write_bytes(file, bytes);
    const TinyRun run = train();
    expect_embedded(run);
    EXPECT_TOLD(run.told.warnings, concat("the sentence vectors ", file.string(), " cannot be used ("));
    EXPECT_TOLD(run.told.warnings, "the sentences are embedded again");
    expect_same(run, expected);
    EXPECT_EQ(read_whole_file(file, std::size_t{1} << 24), whole);
  }
}

/// Its hash would fit: another user could have made vectors as they please.
TEST_F(KeptVectors, AreNotUsedWhereOthersMayHaveMadeThem) {
  const TinyRun expected = train();
  const fs::path file = only_file();
  EXPECT_EQ(fs::status(file).permissions() & (fs::perms::group_write | fs::perms::others_write), fs::perms::none);
  const auto expect_unused = [&](const std::string& why) {
    const TinyRun run = train();
    expect_embedded(run);
    EXPECT_TOLD(run.told.warnings, concat("the sentence vectors ", file.string(), " are not used: ", why));
    expect_same(run, expected);
  };
  fs::permissions(file, fs::perms::owner_all | fs::perms::others_write);
  expect_unused("other users may write it");
  fs::permissions(file, fs::perms::owner_all);
  expect_read(train());
  if (::geteuid() != 0) GTEST_SKIP() << "root alone gives files away";
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  expect_unused("it belongs to another user (number 12345)");
}

TEST_F(KeptVectors, AreDoneWithoutWhereTheyCannotBeKept) {
  const TinyRun expected = train();
  write_bytes(training_.folder / "file", "");
  const TinyRun run = train({"data.cache=file/cache"});
  EXPECT_TOLD(run.told.warnings, "cannot be kept (");
  EXPECT_TOLD(run.told.warnings, "the next one embeds again, unless `data.cache` or GAUSSCSE_CACHE names a folder");
  expect_same(run, expected);
}

TEST(Arithmetic, NamesLibrariesAndInstructions) {
  Provenance provenance;
  provenance.libraries = {{"libtorch", "2"}};
  provenance.devices = {"cpu", "cpu"};
  provenance.instruction_sets = {"avx2", "avx2"};
  provenance.bfloat16_instructions = {"none", "none"};
  provenance.ranks = 2;
  EXPECT_EQ(arithmetic_text(provenance), "library libtorch 2\ncpu\navx2\nnone\n");
  provenance.instruction_sets[1] = "avx512";
  EXPECT_EQ(arithmetic_text(provenance), "library libtorch 2\ncpu\navx2\navx512\nnone\n");
  provenance.devices = {"A GPU", "A GPU"};
  EXPECT_EQ(arithmetic_text(provenance), "library libtorch 2\nA GPU\navx2\navx512\nnone\nranks 2\n");
}

/// A block has some thousands of sentences.
TEST_F(KeptVectors, AreLeftAfterABlockWhereAStopIsAsked) {
  std::string text = "sent0,sent1,hard_neg\n";
  for (int i = 0; i < 2500; ++i)
    text += concat("w", i % 50, " w", i / 50, ",w", i % 50, " w1 w", i / 50, ",w", i % 50, " w2 w", i / 50, "\n");
  const fs::path csv = training_.write("many.csv", text);
  Trial trial =
      training_.trial(joined(head_of_vectors, {"data.train=[\"" + csv.string() + "\"]", "training.max_steps=2"}));
  const auto train = [&](TrainingRequests&& requests, RecordingObserver& told) {
    return train_trial(trial, {}, *make_self_communicator(), told, requests);
  };
  trial.output = training_.folder / "stopped";
  RecordingObserver told, again, whole;
  try {
    train(StopAfter(1), told);
    FAIL() << "it went on";
  } catch (const TrainingStopped& stopped) {
    const std::string problem = stopped.what();
    EXPECT_EQ(problem.find("stopped after "), 0u) << problem;
    EXPECT_NE(problem.find(" of 7500 sentences went through the encoder"), std::string::npos) << problem;
    EXPECT_NE(problem.find("after a signal; the same command goes on"), std::string::npos) << problem;
  }
  ASSERT_EQ(told.embedded.size(), 2u) << "the beginning and one block";
  EXPECT_LT(told.embedded.back().first, told.embedded.back().second);
  EXPECT_TRUE(told.steps.empty());
  EXPECT_TRUE(files().empty()) << "parts are not kept";
  EXPECT_FALSE(fs::exists(trial.output / "result.h5"));
  const RunResult result = train(NoRequests(), again);
  trial.output = training_.folder / "whole";
  EXPECT_EQ(result.training.loss, train(NoRequests(), whole).training.loss);
  EXPECT_EQ(result.training.loss.size(), 2u);
}

}  // namespace
}  // namespace gausscse
