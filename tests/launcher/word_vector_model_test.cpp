#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Vectors of a few words, with its own cache. By hand: the cosines of the three pairs are 1, 0 and 0.6, so that their
/// order is that of the scores but for the last two.
class WordVectorModel : public TinyProjectTest {
 protected:
  WordVectorModel() {
    write_bytes(folder_ / "vectors.txt", "east 1 0\nnorth 0 1\nslope 3 4\neast 2 0\n");
    write_bytes(folder_ / "sts.csv",
                "g\tf\ty\t1\t5\teast\teast  none\n"
                "g\tf\ty\t1\t3\teast\tnorth\n"
                "g\tf\ty\t1\t2\teast East\tslope\n");
    write_bytes(folder_ / "tasks.yaml", "tasks:\n  sts: {kind: sts, files: sts.csv}\n");
  }

  std::string vectors() const { return path("vectors.txt"); }

  ProgramRun run(std::vector<std::string> arguments, int ranks = 0) const {
    return run_program(arguments, RunSettings{.ranks = ranks});
  }
  ProgramRun eval(int ranks = 0) const {
    return run({"eval", vectors(), "--tasks", path("tasks.yaml"), "--json", path("report.json"), "--overwrite"}, ranks);
  }
};

TEST_F(WordVectorModel, IsMeasuredByTasksOnAnyRanks) {
  for (const int ranks : {0, 2, 3, 1}) {
    const ProgramRun measured = eval(ranks);
    ASSERT_EQ(measured.exit_code, 0) << measured.errors;
    EXPECT_EQ(tasks_of_report(folder_ / "report.json")["sts"]["spearman"], 0.5) << ranks;
    EXPECT_TRUE(says(measured.errors, "vectors.txt: 3 words, 2 values each"));
    EXPECT_TRUE(says(measured.errors, "vectors.txt: 1 words come again: the last vector of each counts"));
    EXPECT_TRUE(says(measured.errors, "vectors.txt: reading word vectors"));
  }
}

TEST_F(WordVectorModel, EncodesAndScores) {
  write_bytes(folder_ / "in.txt", "east north\nnone\nslope\n");
  ASSERT_TRUE(ended(run({"encode", vectors(), path("in.txt"), path("out.h5")}), 0));
  EXPECT_EQ(read_matrix(folder_ / "out.h5", "embedding", 3, 2), (std::vector<float>{1, 0.5f, 0, 0, 3, 4}));
  write_bytes(folder_ / "pairs.tsv", "east\tslope\n");
  const ProgramRun scored = run({"score", vectors(), path("pairs.tsv")}, 2);
  ASSERT_EQ(scored.exit_code, 0) << scored.errors;
  EXPECT_EQ(scored.output, "0.600000\t0.600000\tnone\n");
}

TEST_F(WordVectorModel, WhatItDoesNotHaveIsRefused) {
  const auto refused = [&](const std::vector<std::string>& options, const std::string& text) {
    EXPECT_TRUE(ended(run(with({"eval", vectors()}, options)), 2, {text}));
  };
  refused({"--tasks", path("tasks.yaml"), "--pooling", "mean"}, "--pooling mean: ");
  refused({"--tasks", path("tasks.yaml"), "--precision", "bf16"}, "leave --precision out");
  refused({"--test", "a=" + project_.test().string()}, "the model has no threshold");
  write_bytes(folder_ / "tasks.yaml", "tasks:\n  tokens: {kind: geometry, files: sts.csv}\n");
  refused({"--tasks", path("tasks.yaml")}, "measures the layers of an encoder");
  write_bytes(folder_ / "vectors.txt", "east 1 0\nnorth 1\n");
  refused({"--tasks", path("tasks.yaml")}, "vectors.txt:2: the line has 1 values");
  EXPECT_TRUE(
      ended(run({"eval", path("none.txt"), "--tasks", path("tasks.yaml")}), 2, {"none.txt: no such file or folder"}));
}

TEST_F(WordVectorModel, RanksWithOtherVectorsAreRefused) {
  const TemporaryFolder other;
  write_bytes(other / "vectors.txt", "east 1 0\nnorth 0 1\nslope 3 5\n");
  const std::vector<std::string> arguments{"eval", vectors(), "--tasks", path("tasks.yaml")};
  const std::vector<std::string> others{"eval", (other / "vectors.txt").string(), "--tasks", path("tasks.yaml")};
  run_expecting(2, arguments, {"the word vectors"},
                {.ranks = 2, .environment = {{"GAUSSCSE_CACHE", folder_ / "cache"}}, .last_rank_arguments = others});
}

}  // namespace
}  // namespace gausscse
