#include "base/content_hash.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/study/json_changes.hpp"
#include "tests/support/testing.hpp"

// Records of runs, failures and plans as files.

namespace gausscse {
namespace {

using Object = nlohmann::ordered_json;
using Pointer = Object::json_pointer;

const RunRecord sample_run{.identity = "0a1b",
                           .result_bytes = 18446744073709551615u,
                           .result_hash = "ffeeddccbbaa99887766554433221100",
                           .report_hash = "0123456789abcdef0123456789abcdef",
                           .trial_hash = "11",
                           .attempts_hash = "22",
                           .seconds = 12.75,
                           .attempts = 2,
                           .steps = 300,
                           .step_seconds = 12.5,
                           .ranks = 4,
                           .threads = 8,
                           .peak_memory_bytes = 123,
                           .disk_bytes = 456,
                           .hosts = {"one", "two"},
                           .ended = "2026-01-31T12:00:00Z"};

const FailureRecord sample_failure{.reason = "exit code 2",
                                   .error = "no file",
                                   .lines = {"a line", "", "\tanother \x1b[0m"},
                                   .attempts = 3,
                                   .seconds = 1e-7,
                                   .host = "one",
                                   .ended = "2026-01-31T12:00:01Z"};

const PlanFile sample_plan{"minilm",
                           "00112233445566778899aabbccddeeff",
                           {{"choose", {{"system", "ent"}, {"batch", "16"}}, 3, "0a1b", ""},
                            {"final", {{"system", "caf\u00e9 \"x\""}}, -1, "", "the stage choose"},
                            {"final", {}, INT64_MAX, "0a1b", ""}}};

/// A file of each kind, its text without the check, and its values in the order of their names, which the check is of.
struct Kind {
  const char* name;
  std::function<void(const std::filesystem::path&)> write, read;
  std::string text, values;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"run.json", [](const auto& file) { write_run_record(file, sample_run); },
       [](const auto& file) { EXPECT_EQ(read_run_record(file), sample_run); },
       R"({"format": "gausscse-run/1", "identity": "0a1b", "result_bytes": 18446744073709551615,
         "result_hash": "ffeeddccbbaa99887766554433221100", "report_hash": "0123456789abcdef0123456789abcdef",
         "trial_hash": "11", "attempts_hash": "22", "seconds": 12.75, "attempts": 2, "steps": 300,
         "step_seconds": 12.5, "ranks": 4, "threads": 8, "peak_memory_bytes": 123, "disk_bytes": 456,
         "hosts": ["one", "two"], "ended": "2026-01-31T12:00:00Z"})",
       R"({"attempts":2,"attempts_hash":"22","disk_bytes":456,"ended":"2026-01-31T12:00:00Z",)"
       R"("format":"gausscse-run/1","hosts":["one","two"],"identity":"0a1b","peak_memory_bytes":123,"ranks":4,)"
       R"("report_hash":"0123456789abcdef0123456789abcdef","result_bytes":18446744073709551615,)"
       R"("result_hash":"ffeeddccbbaa99887766554433221100","seconds":12.75,"step_seconds":12.5,"steps":300,)"
       R"("threads":8,"trial_hash":"11"})"},
      {"failure.json", [](const auto& file) { write_failure_record(file, sample_failure); },
       [](const auto& file) { EXPECT_EQ(read_failure_record(file), sample_failure); },
       R"({"format": "gausscse-failure/1", "reason": "exit code 2", "error": "no file",
         "lines": ["a line", "", "\tanother \u001b[0m"], "attempts": 3, "seconds": 1e-7, "host": "one",
         "ended": "2026-01-31T12:00:01Z"})",
       R"({"attempts":3,"ended":"2026-01-31T12:00:01Z","error":"no file","format":"gausscse-failure/1","host":"one",)"
       R"("lines":["a line","","\tanother \u001b[0m"],"reason":"exit code 2","seconds":1e-07})"},
      {"plan.json", [](const auto& file) { write_plan(file, sample_plan); },
       [](const auto& file) { EXPECT_EQ(read_plan(file), sample_plan); },
       R"({"format": "gausscse-plan/1", "study": "minilm", "manifest_hash": "00112233445566778899aabbccddeeff",
         "trials": [{"stage": "choose", "coordinates": [["system", "ent"], ["batch", "16"]], "seed": 3,
                     "identity": "0a1b", "waits_for": ""},
                    {"stage": "final", "coordinates": [["system", "café \"x\""]], "seed": -1, "identity": "",
                     "waits_for": "the stage choose"},
                    {"stage": "final", "coordinates": [], "seed": 9223372036854775807, "identity": "0a1b",
                     "waits_for": ""}]})",
       R"({"format":"gausscse-plan/1","manifest_hash":"00112233445566778899aabbccddeeff","study":"minilm","trials":[)"
       R"({"coordinates":[["system","ent"],["batch","16"]],"identity":"0a1b","seed":3,"stage":"choose","waits_for":""},)"
       R"({"coordinates":[["system","café \"x\""]],"identity":"","seed":-1,"stage":"final",)"
       R"("waits_for":"the stage choose"},)"
       R"({"coordinates":[],"identity":"0a1b","seed":9223372036854775807,"stage":"final","waits_for":""}]})"}};
  return all;
}

class Records : public testing::Test {
 protected:
  std::string refusal(const Kind& kind) const {
    return refusal_of([&] { kind.read(folder / kind.name); });
  }
  /// Returns the refusal of a file that is changed after it was written.
  std::string refusal_with(const Kind& kind, const std::function<void(Object&)>& change) const {
    kind.write(folder / kind.name);
    change_json(folder / kind.name, change);
    return refusal(kind);
  }

  TemporaryFolder folder;
};

/// The check is a hash of the values by the names of their members, without a blank.
TEST_F(Records, AreReadAsWrittenUnderTheNamesOfTheirFormats) {
  for (const Kind& kind : kinds()) {
    kind.write(folder / kind.name);
    kind.read(folder / kind.name);
    Object expected = Object::parse(kind.text);
    expected["check"] = content_hash_of(kind.values);
    EXPECT_EQ(Object::parse(read_whole_file(folder / kind.name, 1 << 20)), expected);
  }
  write_run_record(folder / "run.json", {});
  EXPECT_EQ(read_run_record(folder / "run.json"), RunRecord{});
  RunRecord sum;
  sum.seconds = 0.1 + 0.2;
  write_run_record(folder / "run.json", sum);
  EXPECT_EQ(read_run_record(folder / "run.json").seconds, 0.30000000000000004);
}

TEST_F(Records, OfATrainingThatEndedEarlySayWhy) {
  RunRecord early = sample_run;
  early.ended_early = "after step 3 of 9: why";
  write_run_record(folder / "run.json", early);
  EXPECT_EQ(read_run_record(folder / "run.json"), early);
  EXPECT_EQ(Object::parse(read_whole_file(folder / "run.json", 1 << 20)).at("ended_early"), early.ended_early);
}

TEST_F(Records, OfATrainingOnAGpuHaveItsShareOfTheMemory) {
  RunRecord on_gpu = sample_run;
  on_gpu.gpu_memory_share = 0.375;
  write_run_record(folder / "run.json", on_gpu);
  EXPECT_EQ(read_run_record(folder / "run.json"), on_gpu);
  EXPECT_EQ(Object::parse(read_whole_file(folder / "run.json", 1 << 20)).at("gpu_memory_share"), 0.375);
}

TEST_F(Records, WithAFlippedBitAreRefused) {
  for (const Kind& kind : kinds()) {
    const std::filesystem::path file = folder / kind.name;
    kind.write(file);
    for_each_flipped_byte(file, [&](std::size_t byte) { EXPECT_TRUE(says(refusal(kind), file.string())) << byte; });
    kind.read(file);
    std::string text = read_whole_file(file, 1 << 20);
    const std::size_t digit = text.find_first_of(
        "123", text.find("\"attempts\"") == text.npos ? text.find("\"seed\"") : text.find("\"attempts\""));
    text[digit] = '7';
    write_bytes(file, text);
    EXPECT_TRUE(says(refusal(kind), "damaged: it has changed since it was written (its values have the XXH3-128 "));
  }
  EXPECT_TRUE(says(refusal(kinds()[2]),
                   "move it away and start `gausscse run` with the study's manifest, which writes it again"));
}

TEST_F(Records, SayWhetherTheyHaveAHashOfTheirValues) {
  const auto run = folder / "run.json", plan = folder / "plan.json";
  write_run_record(run, sample_run);
  write_plan(plan, sample_plan);
  EXPECT_TRUE(read_run_record(run).is_checked);
  EXPECT_TRUE(read_plan(plan).is_checked);
  for (const auto& file : {run, plan}) change_json(file, [](Object&) {});
  EXPECT_FALSE(read_run_record(run).is_checked);
  EXPECT_FALSE(read_plan(plan).is_checked);
}

TEST_F(Records, OfRunsOfAnEarlierVersionHaveNeitherIdentityNorHashOfTheReport) {
  write_run_record(folder / "run.json", sample_run);
  change_json(folder / "run.json", [](Object& record) {
    record.erase("report_hash");
    record.erase("identity");
  });
  RunRecord expected = sample_run;
  expected.identity.clear();
  expected.report_hash.clear();
  expected.is_checked = false;
  EXPECT_EQ(read_run_record(folder / "run.json"), expected);
}

TEST_F(Records, NeedEveryMemberOfItsKind) {
  for (const Kind& kind : kinds())
    for (const char* object : {"", "/trials/1"}) {
      if (*object && kind.name != std::string("plan.json")) continue;
      const std::filesystem::path file = folder / kind.name;
      for_each_spoiled_member(
          file, Pointer(object), [&] { kind.write(file); },
          [&](const std::string& member, const std::string& how) {
            const std::string message = refusal(kind);
            for (const std::string& part : {file.string(), "\"" + member + "\"", std::string(*object ? "trial 2" : "")})
              EXPECT_TRUE(says(message, part)) << how;
          });
    }
}

TEST_F(Records, RefuseWhatNoneHas) {
  const Kind &run = kinds()[0], &failure = kinds()[1], &plan = kinds()[2];
  const struct {
    const Kind& kind;
    const char* at;
    Object value;
    const char* says;
  } cases[] = {{run, "/result_bytes", -1, "\"result_bytes\" is \"-1\"; expected a whole number from 0"},
               {run, "/result_bytes", 1.5, "a whole number from 0"},
               {run, "/seconds", -0.5, "\"seconds\" is \"-0.5\"; expected a number from 0"},
               {run, "/step_seconds", nullptr, "expected a number from 0"},
               {run, "/attempts", -1, "a whole number from 0"},
               {run, "/steps", -1, "a whole number from 0"},
               {run, "/ranks", 0, "a whole number from 1"},
               {run, "/threads", 0, "a whole number from 1"},
               {run, "/hosts", Object::array({1}), "an array of texts"},
               {run, "/other", 1, "\"other\" is not known"},
               {failure, "/other", 1, "\"other\" is not known"},
               {plan, "/other", 1, "\"other\" is not known"},
               {plan, "/trials/0/other", 1, "\"other\" is not known"},
               {plan, "/trials/0/coordinates", Object::parse(R"([["system", "a", "b"]])"), "pairs [axis, label]"},
               {plan, "/trials/0/coordinates", Object::parse(R"([["system", 1]])"), "pairs [axis, label]"},
               {plan, "/trials/0/coordinates", Object::parse(R"([["a", "1"], ["a", "2"]])"), "each axis once"},
               {plan, "/trials/0/seed", 1.5, "a whole number"},
               {plan, "/trials/0/seed", 9223372036854775808u, "a whole number"},
               {plan, "/trials/0/identity", "../../other", "hexadecimal digits"},
               {run, "/format", "gausscse-run/2", "a newer version of gausscse"},
               {run, "/format", "gausscse-run/0", "another version of gausscse"},
               {run, "/format", "gausscse-plan/1", "no record of how a trial ran"},
               {failure, "/format", "gausscse-failure/7", "a newer version of gausscse"},
               {plan, "/format", "gausscse-plan/2",
                "its format is \"gausscse-plan/2\", that of a newer version of gausscse; this one reads "
                "\"gausscse-plan/1\": use the version that wrote it"},
               {plan, "/format", "gausscse-run/1", "no plan of a study (its \"format\" is \"gausscse-run/1\""},
               {plan, "/format", 1, "its \"format\" is missing"}};
  for (const auto& each : cases)
    EXPECT_TRUE(says(refusal_with(each.kind, [&](Object& root) { root[Pointer(each.at)] = each.value; }), each.says))
        << each.at << " " << each.value;
}

TEST_F(Records, ThatAreNoJsonAreRefusedByNameWithARemedy) {
  const Kind& plan = kinds()[2];
  for (const char* text : {"", "{", "study: a\n"}) {
    write_bytes(folder / "plan.json", text);
    EXPECT_TRUE(says(refusal(plan), (folder / "plan.json").string()));
    EXPECT_TRUE(says(refusal(plan),
                     ": move it away and start `gausscse run` with the study's manifest, which writes it again"));
  }
  write_bytes(folder / "plan.json", "[]");
  EXPECT_TRUE(says(refusal(plan), "no plan of a study"));
  for (const Kind& kind : kinds()) {
    std::filesystem::remove(folder / kind.name);
    EXPECT_TRUE(says(refusal(kind), kind.name));
  }
}

TEST_F(Records, OfFailuresKeepLinesThatAreNotUtf8) {
  FailureRecord record = sample_failure;
  record.lines = {"half of \xc3", std::string("a\0b", 3)};
  write_failure_record(folder / "failure.json", record);
  EXPECT_EQ(read_failure_record(folder / "failure.json").lines,
            (std::vector<std::string>{"half of \ufffd", std::string("a\0b", 3)}));
}

TEST_F(Records, OfPlansAreNotWrittenAgainWhereTheyAreTheSame) {
  const auto file = folder / "plan.json", first = folder / "first.json";
  write_plan(file, sample_plan);
  std::filesystem::create_hard_link(file, first);
  write_plan(file, sample_plan);
  EXPECT_TRUE(std::filesystem::equivalent(file, first));
  PlanFile other = sample_plan;
  other.trials[0].seed = 4;  // as long as the one before
  write_plan(file, other);
  EXPECT_FALSE(std::filesystem::equivalent(file, first));
  EXPECT_EQ(read_plan(file), other);
}

TEST(PlannedTrial, HasLabelsAndATitle) {
  const PlannedTrial& trial = sample_plan.trials[0];
  EXPECT_EQ(title_of(trial), "choose ent 16 seed 3");
  ASSERT_NE(label_on(trial, "batch"), nullptr);
  EXPECT_EQ(*label_on(trial, "batch"), "16");
  EXPECT_EQ(label_on(trial, "seed"), nullptr);
  EXPECT_EQ(label_on(trial, "16"), nullptr);
}

}  // namespace
}  // namespace gausscse
