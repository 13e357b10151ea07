#include <gtest/gtest.h>

#include "base/content_hash.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/study/json_changes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;
using Object = nlohmann::ordered_json;

RunRecord sample_run() {
  return {.identity = "0a1b",
          .result_bytes = 18446744073709551615u,
          .result_hash = "ffeeddccbbaa99887766554433221100",
          .report_hash = "0123456789abcdef0123456789abcdef",
          .trial_hash = "11",
          .attempts_hash = "22",
          .seconds = 0.1 + 0.2,
          .attempts = 2,
          .steps = 300,
          .step_seconds = 12.5,
          .ranks = 4,
          .threads = 8,
          .peak_memory_bytes = 123,
          .disk_bytes = 456,
          .hosts = {"one", "two"},
          .ended = "2026-01-31T12:00:00Z"};
}

FailureRecord sample_failure() {
  return {.reason = "exit code 2",
          .error = "no file",
          .lines = {"a line", "", "\tanother \x1b[0m"},
          .attempts = 3,
          .seconds = 1e-7,
          .host = "one",
          .ended = "2026-01-31T12:00:01Z"};
}

TEST(RunRecord, IsReadAsWritten) {
  const TemporaryFolder folder;
  write_run_record(folder / "run.json", sample_run());
  EXPECT_EQ(read_run_record(folder / "run.json"), sample_run());
  write_run_record(folder / "run.json", {});
  EXPECT_EQ(read_run_record(folder / "run.json"), RunRecord{});
}

TEST(RunRecord, HasTheNamesOfItsFormat) {
  const TemporaryFolder folder;
  write_run_record(folder / "run.json", sample_run());
  Object expected = Object::parse(R"({"format": "gausscse-run/1", "identity": "0a1b",
    "result_bytes": 18446744073709551615, "result_hash": "ffeeddccbbaa99887766554433221100",
    "report_hash": "0123456789abcdef0123456789abcdef", "trial_hash": "11", "attempts_hash": "22",
    "seconds": 0.30000000000000004, "attempts": 2, "steps": 300, "step_seconds": 12.5, "ranks": 4, "threads": 8,
    "peak_memory_bytes": 123, "disk_bytes": 456, "hosts": ["one", "two"], "ended": "2026-01-31T12:00:00Z"})");
  // The check is a hash of the values by the names of their members, without a blank.
  expected["check"] = content_hash_of(
      R"({"attempts":2,"attempts_hash":"22","disk_bytes":456,"ended":"2026-01-31T12:00:00Z","format":"gausscse-run/1",)"
      R"("hosts":["one","two"],"identity":"0a1b","peak_memory_bytes":123,"ranks":4,"report_hash":"0123456789abcdef0123456789abcdef",)"
      R"("result_bytes":18446744073709551615,"result_hash":"ffeeddccbbaa99887766554433221100",)"
      R"("seconds":0.30000000000000004,"step_seconds":12.5,"steps":300,"threads":8,"trial_hash":"11"})");
  EXPECT_EQ(Object::parse(read_whole_file(folder / "run.json", 4096)), expected);
}

TEST(RunRecord, WithAFlippedBitIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.json";
  // Another last digit of 0.1 + 0.2 is the same number.
  RunRecord written = sample_run();
  written.seconds = 12.75;
  write_run_record(file, written);
  for_each_flipped_byte(file, [&](std::size_t byte) {
    EXPECT_TRUE(says(refusal_of([&] { read_run_record(file); }), file.string())) << byte;
  });
  EXPECT_EQ(read_run_record(file), written);
  change_json(file, [](Object& record) { record["seconds"] = 99; });
  EXPECT_EQ(read_run_record(file).seconds, 99) << "one of an earlier version, which has no check";
  write_run_record(file, sample_run());
  std::string text = read_whole_file(file, 4096);
  text.replace(text.find("12.5"), 4, "13.5");
  write_bytes(file, text);
  EXPECT_TRUE(says(refusal_of([&] { read_run_record(file); }),
                   "damaged: it has changed since it was written (its values have the XXH3-128 "));
}

TEST(RunRecord, SaysWhetherItHasAHashOfItsValues) {
  const TemporaryFolder folder;
  write_run_record(folder / "run.json", sample_run());
  EXPECT_TRUE(read_run_record(folder / "run.json").is_checked);
  change_json(folder / "run.json", [](Object&) {});
  EXPECT_FALSE(read_run_record(folder / "run.json").is_checked);
}

TEST(RunRecord, OfAnEarlierVersionHasNeitherIdentityNorHashOfTheReport) {
  const TemporaryFolder folder;
  write_run_record(folder / "run.json", sample_run());
  change_json(folder / "run.json", [](Object& record) {
    record.erase("report_hash");
    record.erase("identity");
  });
  RunRecord expected = sample_run();
  expected.identity.clear();
  expected.report_hash.clear();
  expected.is_checked = false;
  EXPECT_EQ(read_run_record(folder / "run.json"), expected);
}

TEST(RunRecord, NeedsEveryMemberOfItsKind) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.json";
  for_each_spoiled_member(
      file, Object::json_pointer(""), [&] { write_run_record(file, sample_run()); },
      [&](const std::string& member, const std::string& how) {
        const std::string refusal = refusal_of([&] { read_run_record(file); });
        EXPECT_TRUE(says(refusal, file.string())) << how;
        EXPECT_TRUE(says(refusal, "\"" + member + "\"")) << how;
      });
}

TEST(RunRecord, RefusesWhatNoRunHas) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.json";
  const auto refusal_with = [&](const char* member, const Object& value) {
    write_run_record(file, sample_run());
    change_json(file, [&](Object& record) { record[member] = value; });
    return refusal_of([&] { read_run_record(file); });
  };
  EXPECT_TRUE(says(refusal_with("result_bytes", -1), "\"result_bytes\" is \"-1\"; expected a whole number from 0"));
  EXPECT_TRUE(says(refusal_with("result_bytes", 1.5), "a whole number from 0"));
  EXPECT_TRUE(says(refusal_with("seconds", -0.5), "\"seconds\" is \"-0.5\"; expected a number from 0"));
  EXPECT_TRUE(says(refusal_with("step_seconds", nullptr), "expected a number from 0"));
  EXPECT_TRUE(says(refusal_with("attempts", -1), "a whole number from 0"));
  EXPECT_TRUE(says(refusal_with("steps", -1), "a whole number from 0"));
  EXPECT_TRUE(says(refusal_with("ranks", 0), "a whole number from 1"));
  EXPECT_TRUE(says(refusal_with("threads", 0), "a whole number from 1"));
  EXPECT_TRUE(says(refusal_with("hosts", {1}), "an array of texts"));
  EXPECT_TRUE(says(refusal_with("other", 1), "\"other\" is not known"));
  EXPECT_TRUE(says(refusal_with("format", "gausscse-run/2"), "a newer version of gausscse"));
  EXPECT_TRUE(says(refusal_with("format", "gausscse-run/0"), "another version of gausscse"));
  EXPECT_TRUE(says(refusal_with("format", "gausscse-plan/1"), "no record of how a trial ran"));
  EXPECT_TRUE(says(refusal_of([&] { read_run_record(folder / "none.json"); }), "none.json"));
}

TEST(FailureRecord, IsReadAsWritten) {
  const TemporaryFolder folder;
  write_failure_record(folder / "failure.json", sample_failure());
  EXPECT_EQ(read_failure_record(folder / "failure.json"), sample_failure());
  Object written = Object::parse(read_whole_file(folder / "failure.json", 4096));
  EXPECT_EQ(written["check"].get<std::string>().size(), 32u);
  written.erase("check");
  EXPECT_EQ(written, Object::parse(R"({"format": "gausscse-failure/1", "reason": "exit code 2", "error": "no file",
    "lines": ["a line", "", "\tanother \u001b[0m"], "attempts": 3, "seconds": 1e-7, "host": "one",
    "ended": "2026-01-31T12:00:01Z"})"));
}

TEST(FailureRecord, KeepsLinesThatAreNotUtf8) {
  const TemporaryFolder folder;
  FailureRecord record = sample_failure();
  record.lines = {"half of \xc3", std::string("a\0b", 3)};
  write_failure_record(folder / "failure.json", record);
  EXPECT_EQ(read_failure_record(folder / "failure.json").lines,
            (std::vector<std::string>{"half of \ufffd", std::string("a\0b", 3)}));
}

TEST(FailureRecord, NeedsEveryMemberOfItsKind) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "failure.json";
  const auto write = [&] { write_failure_record(file, sample_failure()); };
  for_each_spoiled_member(
      file, Object::json_pointer(""), write, [&](const std::string& member, const std::string& how) {
        EXPECT_TRUE(says(refusal_of([&] { read_failure_record(file); }), "\"" + member + "\"")) << how;
      });
  write();
  change_json(file, [](Object& record) { record["format"] = "gausscse-failure/7"; });
  EXPECT_TRUE(says(refusal_of([&] { read_failure_record(file); }), "a newer version of gausscse"));
  write();
  change_json(file, [](Object& record) { record["other"] = 1; });
  EXPECT_TRUE(says(refusal_of([&] { read_failure_record(file); }), "\"other\" is not known"));
}

}  // namespace
}  // namespace gausscse
