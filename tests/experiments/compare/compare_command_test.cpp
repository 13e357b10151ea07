#include <gtest/gtest.h>

#include "base/file.hpp"
#include "experiments/compare/comparison_text.hpp"
#include "experiments/study/study_index.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;
using testing_support::write_compared_study;

TEST(CompareCommand, PrintsAComparison) {
  const TemporaryFolder folder;
  write_compared_study(folder / "results");
  const std::string results = (folder / "results").string();
  const std::string a = results + ":system=ent", b = results + "/trials/t5";
  const Comparison comparison = compare_groups(read_compared_group(a), read_compared_group(b));
  ProgramRun run = run_program({"compare", a, b});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, comparison_text(comparison));
  EXPECT_TRUE(says(run.output, "A: " + a + "\n"));
  run = run_program({"compare", a, b, "--format", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, comparison_json(comparison));
  EXPECT_EQ(run_program({"compare", a, b, "--format", "json"}, 2).output, run.output) << "once under MPI";
}

TEST(CompareCommand, RefusesBadInputWithWords) {
  const TemporaryFolder folder;
  write_compared_study(folder / "results");
  const std::string results = (folder / "results").string();
  const auto refusal = [&](const std::vector<std::string>& arguments) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.output, "");
    return run.errors;
  };
  EXPECT_TRUE(says(refusal({"compare", results + ":system=ent", results + ":system=entt"}), "did you mean \"ent\"?"));
  EXPECT_TRUE(says(refusal({"compare", results, results}), "say which of its trials"));
  EXPECT_TRUE(says(refusal({"compare", results + "/plan.json", results + ":system=ent"}), "plan.json"));
  EXPECT_NE(run_program({"compare", results + ":system=ent"}).exit_code, 0);
  EXPECT_NE(run_program({"compare", results + ":system=ent", results + ":seed=0", "--format", "xml"}).exit_code, 0);
}

/// One bit of the result of a study's trial, given by its path: run.json next to it knows better.
TEST(CompareCommand, RefusesAResultThatIsNotWhatWasWritten) {
  const TemporaryFolder folder;
  write_compared_study(folder / "results");
  const std::filesystem::path results = folder / "results", trial = results / "trials/t5", file = trial / "result.h5";
  write_bytes(trial / "trial.yaml", "format: gausscse-trial/2\n");
  const std::string a = results.string() + ":system=ent";
  ASSERT_EQ(run_program({"compare", a, trial.string()}).exit_code, 0);
  ASSERT_EQ(run_program({"show", file.string()}).exit_code, 0);
  const std::string whole = read_whole_file(file, 1 << 24);
  std::string changed = whole;
  changed[changed.size() / 2] ^= 1;
  write_bytes(file, changed);
  const std::string said = file.string() + ": damaged: it is not what was written";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"compare", a, trial.string()},
                                                {"compare", file.string(), a},
                                                {"show", file.string()},
                                                {"show", "--json", file.string()}}) {
    const ProgramRun run = run_program(words);
    EXPECT_EQ(run.exit_code, 2) << words[0];
    EXPECT_EQ(run.output, "");
    EXPECT_TRUE(says(run.errors, said));
  }
  ProgramRun run = run_program({"compare", a, results.string() + ":system=ent+con"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run.output, "final ent+con 16 seed 0 is left out: it is damaged (" + said));
  EXPECT_TRUE(says(run.errors, "gausscse: warning: final ent+con 16 seed 0 is left out: it is damaged (" + said));
  run = run_program({"index", results.string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.output, (results / "index.h5").string() + ": 7 of 9 trials are done\n");
  EXPECT_TRUE(says(run.errors, said));
  std::filesystem::remove(trial / "trial.yaml");
  EXPECT_FALSE(says(run_program({"show", file.string()}).errors, "run.json")) << "of no study";
}

TEST(IndexCommand, WritesTheIndex) {
  const TemporaryFolder folder;
  const std::filesystem::path results = folder / "results";
  write_compared_study(results);
  ProgramRun run = run_program({"index", results.string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, (results / "index.h5").string() + ": 8 of 9 trials are done\n");
  EXPECT_EQ(read_whole_file(results / "index.h5", 1 << 24), index_bytes(read_study(results), results));
  EXPECT_EQ(run_program({"index", results.string()}).exit_code, 0);
  const std::string told = run.output;
  run = run_program({"index", results.string()}, 2);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, told) << "once under MPI";
  write_bytes(results / "index.h5", "my words");
  run = run_program({"index", results.string()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(says(run.errors, "no index of gausscse"));
  run = run_program({"index", folder.path().string()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(says(run.errors, "no results folder of a study"));
}

}  // namespace
}  // namespace gausscse
