#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "experiments/grid/study_status.hpp"
#include "experiments/study/plan_file.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::ProgramRun;
using testing_support::run_program;
using testing_support::says;
using testing_support::TemporaryFolder;

TEST(StatusCommand, PrintsWhereAStudyIs) {
  const TemporaryFolder folder;
  testing_support::write_sample_study(folder.path());
  const ProgramRun text = run_program({"status", folder.path().string()});
  EXPECT_EQ(text.exit_code, 1) << "one is damaged";
  EXPECT_TRUE(says(text.errors, "gausscse: warning: final simcse 16 seed 2 is left out: "));
  EXPECT_TRUE(says(text.errors, "trials/c2/result.h5: damaged: it has "));
  EXPECT_EQ(text.output, status_text(read_status(folder.path())));
  const ProgramRun json = run_program({"status", "--json", folder.path().string()});
  EXPECT_EQ(json.exit_code, 1) << json.errors;
  EXPECT_EQ(nlohmann::json::parse(json.output)["counts"]["done"], 3);
}

TEST(StatusCommand, AndIndexNameAManifestThatIsNotWhatWasWritten) {
  const TemporaryFolder folder;
  testing_support::write_sample_study(folder.path());
  PlanFile plan = read_plan(folder / "plan.json");
  plan.manifest_hash = content_hash_of("name: a\n");
  write_plan(folder / "plan.json", plan);
  const std::string problem = "manifest.yaml: damaged: it is not the manifest that plan.json was made from";
  for (const char* command : {"status", "index"}) {
    testing_support::write_bytes(folder / "manifest.yaml", "name: a\n");
    EXPECT_FALSE(says(run_program({command, folder.path().string()}).errors, problem));
    testing_support::write_bytes(folder / "manifest.yaml", "name: b\n");
    const ProgramRun run = run_program({command, folder.path().string()});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_TRUE(says(run.errors, problem)) << command;
  }
}

TEST(StatusCommand, RefusesAnotherFolder) {
  const TemporaryFolder folder;
  const ProgramRun run = run_program({"status", folder.path().string()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output, "");
  EXPECT_TRUE(says(run.errors, concat(folder.path().string(), ": no results folder of a study")));
}

}  // namespace
}  // namespace gausscse
