#include "experiments/worker/trial_outcome.hpp"

#include <sys/stat.h>

#include "base/content_hash.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/worker/identity_check.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "results/training_reports.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::string trial_of_batches(int size) {
  return concat("format: gausscse-trial/2\nmodel: {backbone: {path: model}}\ndata: {train: train.jsonl}\n",
                "training: {batch_size: ", size, "}\noutput: out\n");
}

FailureRecord record_of(const TemporaryFolder& folder, const std::string& log, std::uint64_t begin) {
  write_bytes(folder / "log.txt", log);
  Attempts attempts;
  attempts.started = 3;
  attempts.seconds = 7.5;
  return failure_record_of(folder.path(), "exit code 2", attempts, begin);
}

FailureRecord record_of(const std::string& log, std::uint64_t begin = 0) {
  const TemporaryFolder folder;
  return record_of(folder, log, begin);
}

/// Nothing in a log is taken for the error, in any words.
TEST(TrialOutcome, OfAFailureHasTheLastLinesOfTheAttemptAndTheReportedError) {
  const TemporaryFolder folder;
  const std::string before = "gausscse: error: of an earlier attempt\n";
  std::string log = before + "first\ngausscse: error on rank 1: no space\n";
  write_error_report(folder / "error.json", {ErrorKind::write, "no room"});
  const FailureRecord failure = record_of(folder, log, before.size());
  EXPECT_EQ(failure.reason, "exit code 2");
  EXPECT_EQ(failure.error, "no room");
  EXPECT_EQ(failure.lines, (Lines{"first", "gausscse: error on rank 1: no space"}));
  EXPECT_EQ(failure.attempts, 3);
  EXPECT_EQ(failure.seconds, 7.5);
  EXPECT_EQ(failure.ended.size(), std::string("2026-01-31T12:00:00Z").size());
  EXPECT_EQ(failure.ended.back(), 'Z');
  EXPECT_TRUE(record_of(log, log.size()).lines.empty());
  EXPECT_TRUE(record_of(log, log.size() + 1).lines.empty()) << "a log that somebody has cut";
}

TEST(TrialOutcome, OfAFailureWithoutAReportSaysHowTheLogEnds) {
  const TemporaryFolder folder;
  const std::string log = (folder / "log.txt").string();
  const std::string error = record_of(folder, "1\ngausscse: error: 2\n3\n4\x1b\n", 0).error;
  EXPECT_EQ(error, concat("it reported no error; ", log, R"( ends with "gausscse: error: 2", "3", "4\x1b")"));
  EXPECT_EQ(record_of(folder, "one\n", 0).error, concat("it reported no error; ", log, R"( ends with "one")"));
  EXPECT_EQ(record_of(folder, "", 0).error, concat("it reported no error; ", log, " has no line of this attempt"));
  write_bytes(folder / "error.json", "{\"format\": \"another\"}");
  EXPECT_TRUE(record_of(folder, "one\n", 0).error.ends_with(R"( ends with "one")")) << "no report";
}

TEST(TrialOutcome, KeepsTwentyLines) {
  std::string log = "early\n";
  for (int i = 0; i < 30; ++i) log += concat("line ", i, "\n");
  const FailureRecord failure = record_of(log);
  ASSERT_EQ(failure.lines.size(), 20u);
  EXPECT_EQ(failure.lines.front(), "line 10");
  EXPECT_EQ(failure.lines.back(), "line 29");
}

TEST(TrialOutcome, TakesOfALineThatIsDrawnAgainTheLastDrawing) {
  EXPECT_EQ(record_of("10 %\r20 %\r30 %\nend\r\n\nwithout end").lines, (Lines{"30 %", "end", "without end"}));
}

TEST(TrialOutcome, OfAnEndlessLogOrLineIsShort) {
  std::string log(3'000'000, 'x');
  log += "\nlast\n";
  const FailureRecord failure = record_of(log);
  ASSERT_EQ(failure.lines.size(), 2u);
  EXPECT_EQ(failure.lines.front().size(), 2000u);
  EXPECT_EQ(failure.lines.back(), "last");
}

TEST(TrialOutcome, OfAFailureWithoutALogHasNoLines) {
  const TemporaryFolder folder;
  const FailureRecord failure = failure_record_of(folder.path(), "signal 9 (Killed)", {}, 0);
  EXPECT_EQ(failure.error,
            concat("it reported no error; ", (folder / "log.txt").string(), " has no line of this attempt"));
  EXPECT_TRUE(failure.lines.empty());
}

TEST(TrialOutcome, OfADoneTrialTellsHowItRan) {
  const TemporaryFolder folder;
  RunResult result = sample_result();
  StudyPlanEntry planned;
  planned.trial = parse_trial(trial_of_batches(50), "trial", "/base");
  planned.contents = {{"data.train/1", "/base/train.jsonl", "aa"}, {"model.backbone/config.json", "", "bb"}};
  planned.planned.identity = trial_identity(*planned.trial, planned.contents);
  result.configuration = to_yaml(*planned.trial);
  result.provenance.input_hashes = {{"data.train/1", "aa"}, {"model.backbone/config.json", "bb"}};
  write_result(folder / "result.h5", result);
  write_bytes(folder / "report.json", json_report(kept_state(result)));
  write_bytes(folder / "trial.yaml", "a trial");
  write_bytes(folder / "attempts.json", "attempts");
  fs::create_directory(folder / "model");
  write_bytes(folder / "model" / "weights", "12345");
  fs::create_symlink(folder / "result.h5", folder / "link");
  const Attempts attempts{
      .generation = 4, .worker = "w", .started = 3, .seconds = 12.5, .hosts = {"a", "b"}, .process = {}};
  const RunRecord run = run_record_of(folder.path(), planned, attempts, 1234);
  const auto bytes = [&](const char* name) { return std::filesystem::file_size(folder / name); };
  EXPECT_EQ(run.identity, planned.planned.identity);
  EXPECT_EQ(run.result_bytes, bytes("result.h5"));
  EXPECT_EQ(run.result_hash, content_hash(folder / "result.h5"));
  EXPECT_EQ(run.report_hash, content_hash(folder / "report.json"));
  EXPECT_EQ(run.trial_hash, content_hash_of("a trial"));
  EXPECT_EQ(run.attempts_hash, content_hash_of("attempts"));
  EXPECT_EQ(run.seconds, 12.5);
  EXPECT_EQ(run.attempts, 3);
  EXPECT_EQ(run.steps, 2);
  // 100 and 101 examples a second.
  EXPECT_DOUBLE_EQ(run.step_seconds, 50.0 / 100 + 50.0 / 101);
  EXPECT_EQ(run.ranks, 3);
  EXPECT_EQ(run.threads, 2);
  EXPECT_EQ(run.peak_memory_bytes, 1234u);
  EXPECT_EQ(run.disk_bytes,
            bytes("result.h5") + bytes("report.json") + bytes("trial.yaml") + bytes("attempts.json") + 5);
  EXPECT_EQ(run.hosts, (Lines{"a", "b"}));
}

/// Each part of the identity is another one in the result: a setting, a content, a file that is not there, one too
/// many.
TEST(TrialOutcome, OfAnotherTrialIsRefused) {
  StudyPlanEntry planned;
  planned.trial = parse_trial(trial_of_batches(50), "trial", "/base");
  planned.contents = {{"data.train/1", "/base/train.jsonl", "aa"},
                      {"model.backbone/config.json", "/m/config.json", "bb"}};
  planned.planned.identity = trial_identity(*planned.trial, planned.contents);
  const auto refusal_with = [&](int batch, std::vector<std::pair<std::string, std::string>> inputs) {
    RunResult result;
    result.configuration = to_yaml(parse_trial(trial_of_batches(batch), "trial", "/elsewhere"));
    result.provenance.input_hashes = std::move(inputs);
    return refusal_of([&] { check_identity(result, planned, "/folder"); });
  };
  EXPECT_EQ(refusal_with(50, {{"data.train/1", "aa"}, {"model.backbone/config.json", "bb"}}), "accepted");
  EXPECT_TRUE(says(refusal_with(51, {{"data.train/1", "aa"}, {"model.backbone/config.json", "bb"}}),
                   "its result is of the trial "));
  EXPECT_TRUE(
      says(refusal_with(50, {{"data.train/1", "ab"}, {"model.backbone/config.json", "bb"}}),
           "/base/train.jsonl (data.train/1) had other content when the trial was planned (XXH3-128 aa, now ab)"));
  EXPECT_TRUE(says(refusal_with(50, {{"data.train/1", "aa"}, {"model.backbone/config.json", "ba"}}),
                   "/m/config.json (model.backbone/config.json) had other content"));
  EXPECT_TRUE(says(refusal_with(50, {{"data.train/1", "aa"}}),
                   "/m/config.json (model.backbone/config.json) existed when the trial was planned"));
  EXPECT_TRUE(
      says(refusal_with(50, {{"data.train/1", "aa"}, {"data.train/2", "cc"}, {"model.backbone/config.json", "bb"}}),
           "data.train/2 did not exist when the trial was planned"));
}

/// Another user who can write to a trial's folder can put links and pipes into it.
TEST(TrialOutcome, IsReadFromFilesOfTheFolderAlone) {
  const TemporaryFolder folder;
  const fs::path own = folder / "own", moved = folder / "moved";
  fs::create_directory(own);
  Attempts attempts;
  attempts.started = 3;
  write_attempts(own, attempts);
  write_progress(own / "progress.json", {TrainingPhase::training, 50, 100, 64, 190});
  write_error_report(own / "error.json", {ErrorKind::memory, "no memory"});
  write_bytes(own / "log.txt", "a line\n");
  const auto what_is_read = [&] {
    return concat(read_attempts(own).started, read_progress(own / "progress.json").has_value() ? " progress" : "",
                  read_error_report(own / "error.json").has_value() ? " error" : "",
                  failure_record_of(own, "", {}, 0).lines.empty() ? "" : " log");
  };
  ASSERT_EQ(what_is_read(), "3 progress error log");
  const std::array<const char*, 4> names{"attempts.json", "progress.json", "error.json", "log.txt"};
  fs::rename(own, moved);
  fs::create_directory(own);
  for (const char* name : names) fs::create_symlink(moved / name, own / name);
  EXPECT_EQ(what_is_read(), "0");
  for (const char* name : names) fs::remove(own / name);
  for (const char* name : names) ASSERT_EQ(::mkfifo((own / name).c_str(), 0600), 0);
  EXPECT_EQ(what_is_read(), "0");
}

TEST(TrialOutcome, OfALinkIsRefused) {
  const TemporaryFolder folder;
  write_result(folder / "moved", sample_result());
  fs::create_symlink(folder / "moved", folder / "result.h5");
  const std::string refusal = refusal_of([&] { run_record_of(folder.path(), {}, {}, 0); });
  EXPECT_TRUE(says(refusal, (folder / "result.h5").string() + ": is a symbolic link"));
}

}  // namespace
}  // namespace gausscse
