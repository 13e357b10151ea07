#include "base/content_hash.hpp"
#include "experiments/compare/comparison_text.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/launcher/program.hpp"
#include "tests/results/changed_hdf5.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

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
  run = run_program({"compare", a, b, "--json", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, comparison_json(comparison));
  EXPECT_EQ(run_program({"compare", a, b, "--json", "-"}, 2).output, run.output) << "once under MPI";
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
  // As its JSON was asked for before.
  EXPECT_TRUE(says(refusal({"compare", results + ":system=ent", results + ":seed=0", "--format", "json"}),
                   "unknown option \"--format\": JSON is written by --json FILE, where - is standard output"));
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
  const std::string said = file.string() + ": damaged: it has changed since it was written";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"compare", a, trial.string()},
                                                {"compare", file.string(), a},
                                                {"show", file.string()},
                                                {"show", "--json", "-", file.string()}}) {
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

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Results of earlier versions have no seal: a changed value in them is read as it stands.
TEST(CompareCommand, WarnsOnceOfResultsWithoutAHash) {
  const TemporaryFolder folder;
  const std::filesystem::path results = folder / "results";
  write_compared_study(results);
  const std::string sealed = (folder / "sealed.h5").string(), old = (folder / "old.h5").string();
  const std::string bytes = read_whole_file(results / "trials/t5/result.h5", 1 << 24);
  write_bytes(sealed, bytes);
  write_bytes(old, without_seal(bytes));
  const std::string words = ": of an earlier version, which wrote no hash: damage that changes only values cannot";
  const auto expect_warned = [&](const std::vector<std::string>& arguments, const std::string& of) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 0) << arguments[0] << run.errors;
    EXPECT_EQ(count_of(run.errors, words), of.empty() ? 0u : 1u) << arguments[0] << run.errors;
    EXPECT_TRUE(says(run.errors, of.empty() ? "" : "gausscse: warning: " + of + words)) << arguments[0];
  };
  expect_warned({"show", old}, old);
  expect_warned({"show", "--json", "-", old}, old);
  expect_warned({"show", sealed}, "");
  EXPECT_EQ(run_program({"show", "--json", "-", old}).output, run_program({"show", "--json", "-", sealed}).output);
  expect_warned({"compare", old, sealed}, old);
  expect_warned({"compare", sealed, old}, old);
  expect_warned({"compare", sealed, sealed}, "");

  // A result whose hash is in run.json needs no seal.
  const std::string a = results.string() + ":system=ent", b = results.string() + ":system=ent+con";
  const auto rewrite = [&](const char* trial, bool hashed) {
    const std::filesystem::path done = results / "trials" / trial, file = done / "result.h5";
    write_bytes(file, without_seal(bytes));
    RunRecord run = read_run_record(done / "run.json");
    run.result_bytes = std::filesystem::file_size(file);
    run.result_hash = hashed ? content_hash(file) : "";
    write_run_record(done / "run.json", run);
    return file.string();
  };
  for (const bool hashed : {true, false}) {
    const std::string first = rewrite("t5", hashed);
    const std::string named = hashed ? "" : first;
    expect_warned({"compare", a, b}, named);
    expect_warned({"index", results.string()}, named);
    expect_warned({"status", results.string()}, named);
    expect_warned({"report", results.string(), "--output", (folder / concat(hashed, ".html")).string()}, named);
  }
  const std::string first = rewrite("t5", false);
  rewrite("t6", false);
  expect_warned({"compare", a, b}, first + " and 1 more file");
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
  const std::string notes = run.output;
  run = run_program({"index", results.string()}, 2);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, notes) << "once under MPI";
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
