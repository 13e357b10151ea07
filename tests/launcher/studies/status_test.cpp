#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "experiments/status/study_status.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(StatusCommand, PrintsWhereAStudyIs) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const ProgramRun text = run_program({"status", folder.path().string()});
  EXPECT_TRUE(ended(
      text, 1, {"gausscse: warning: final simcse 16 seed 2 is left out: ", "trials/c2/result.h5: damaged: it has "}))
      << "one is damaged";
  EXPECT_EQ(text.output, status_text(read_study(folder.path())));
  const ProgramRun json = run_expecting(1, {"status", "--json", "-", folder.path().string()});
  EXPECT_EQ(nlohmann::json::parse(json.output)["counts"]["done"], 3);
}

TEST(StatusCommand, AndIndexNameAManifestThatIsNotWhatWasWritten) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  PlanFile plan = read_plan(folder / "plan.json");
  plan.manifest_hash = content_hash_of("name: a\n");
  write_plan(folder / "plan.json", plan);
  const std::string problem = "manifest.yaml: damaged: it is not the manifest that plan.json was made from";
  for (const char* command : {"status", "index"}) {
    write_bytes(folder / "manifest.yaml", "name: a\n");
    EXPECT_FALSE(says(run_program({command, folder.path().string()}).errors, problem));
    write_bytes(folder / "manifest.yaml", "name: b\n");
    run_expecting(1, {command, folder.path().string()}, {problem});
  }
}

TEST(IndexCommand, NamesTheIndexForPrograms) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::string file = (folder / "indexed.json").string(), index = (folder / "index.h5").string();
  const ProgramRun text = run_program({"index", folder.path().string(), "--json", file});
  const std::size_t trials = read_study(folder.path()).trials.size();
  EXPECT_EQ(text.output, concat(index, ": 3 of ", trials, " trials are done\n"));
  EXPECT_EQ(
      nlohmann::ordered_json::parse(read_whole_file(file, 1000)),
      (nlohmann::ordered_json{
          {"format", "gausscse-indexed/1"}, {"study", "sample"}, {"index", index}, {"trials", trials}, {"done", 3}}));
  EXPECT_EQ(run_program({"index", folder.path().string(), "--json", "-"}).output, read_whole_file(file, 1000));
  run_expecting(2, {"index", folder.path().string(), "--json", index});
  for (const char* command : {"index", "status"}) {
    write_bytes(file, "mine");
    run_expecting(2, {command, folder.path().string(), "--json", file}, {"--json " + file + " is there already"});
    EXPECT_EQ(read_whole_file(file, 1000), "mine");
    run_program({command, folder.path().string(), "--json", file, "--overwrite"});
    EXPECT_EQ(read_whole_file(file, 1 << 20), run_program({command, folder.path().string(), "--json", "-"}).output);
  }
}

/// Removes the member "check", which is the last one.
void take_check_away(const std::filesystem::path& file) {
  std::string text = read_whole_file(file, 1 << 20);
  const std::size_t check = text.rfind(",\n  \"check\"");
  ASSERT_NE(check, std::string::npos) << text;
  write_bytes(file, text.substr(0, check) + "}");
}

TEST(StatusCommand, AndOthersNameFilesWithoutAHashOfTheirValues) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::string page = (folder / "page.html").string(), results = folder.path().string();
  take_check_away(folder / "trials/b1/run.json");
  const std::string warning = "gausscse: warning: " + (folder / "trials/b1/run.json").string() +
                              ": it has no member \"check\": an earlier version of gausscse wrote it, or it was";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"status", results}, {"index", results}, {"report", results, "--output", page}})
    EXPECT_TRUE(says(run_program(command).errors, warning)) << command.front();
  EXPECT_TRUE(says(read_whole_file(page, 1 << 20), "it has no member"));
}

TEST(StatusCommand, RefusesAnotherFolder) {
  const TemporaryFolder folder;
  const ProgramRun run = run_expecting(2, {"status", folder.path().string()});
  EXPECT_EQ(run.output, "");
  EXPECT_TRUE(says(run.errors, concat(folder.path().string(), ": no results folder of a study")));
}

}  // namespace
}  // namespace gausscse
