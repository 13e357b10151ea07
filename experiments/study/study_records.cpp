#include "experiments/study/study_records.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/study/json_fields.hpp"
#include "results/measurement.hpp"

namespace gausscse {

void list_members(RecordOf<RunRecord> auto& run, auto& members) {
  members("identity", run.identity, Presence::optional);
  members("result_bytes", run.result_bytes);
  members("result_hash", run.result_hash);
  members("report_hash", run.report_hash, Presence::optional);
  members("trial_hash", run.trial_hash, Presence::optional);
  members("attempts_hash", run.attempts_hash, Presence::optional);
  members("seconds", run.seconds);
  members("attempts", run.attempts);
  members("steps", run.steps);
  members("step_seconds", run.step_seconds);
  members("ranks", run.ranks, 1);
  members("threads", run.threads, 1);
  members("peak_memory_bytes", run.peak_memory_bytes);
  members("gpu_memory_share", run.gpu_memory_share, Presence::optional);
  members("disk_bytes", run.disk_bytes);
  members("hosts", run.hosts);
  members("ended", run.ended);
  members("ended_early", run.ended_early, Presence::optional);
}

void list_members(RecordOf<FailureRecord> auto& failure, auto& members) {
  members("reason", failure.reason);
  members("error", failure.error);
  members("lines", failure.lines);
  members("attempts", failure.attempts);
  members("seconds", failure.seconds);
  members("host", failure.host);
  members("ended", failure.ended);
}

void list_members(RecordOf<PlannedTrial> auto& trial, auto& members) {
  members("stage", trial.stage);
  members("coordinates", trial.coordinates);
  members("seed", trial.seed, INT64_MIN);
  members("identity", trial.identity);
  // It names folders: nothing may lead out of them.
  if constexpr (requires { members.refuse("", ""); })
    if (!trial.identity.empty() && !is_test_name(trial.identity)) members.refuse("identity", "hexadecimal digits");
  members("waits_for", trial.waits_for);
}

void list_members(RecordOf<PlanFile> auto& plan, auto& members) {
  members("study", plan.study);
  members("manifest_hash", plan.manifest_hash);
  members("trials", plan.trials, "trial");
}

namespace {

constexpr RecordFormat run_format{"gausscse-run/1", "record of how a trial ran", remedy_of_damage};
constexpr RecordFormat failure_format{"gausscse-failure/1", "record of how a trial failed",
                                      "move it away; --retry-failed runs the trial again"};
constexpr RecordFormat plan_format{
    "gausscse-plan/1", "plan of a study",
    "move it away and start `gausscse run` with the study's manifest, which writes it again"};

}  // namespace

void write_run_record(const std::filesystem::path& file, const RunRecord& record, const World& world) {
  write_file_atomically(world, file, record_text(run_format, record));
}

RunRecord read_run_record(const std::filesystem::path& file, const World& world) {
  return read_record<RunRecord>(world, file, run_format);
}

void write_failure_record(const std::filesystem::path& file, const FailureRecord& record, const World& world) {
  write_file_atomically(world, file, record_text(failure_format, record));
}

FailureRecord read_failure_record(const std::filesystem::path& file) {
  return read_record<FailureRecord>(real_world(), file, failure_format);
}

bool holds_text(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) return false;
  const OpenFile there = open_regular_file(file, Links::refused);
  std::string held(text.size() + 1, '\0');
  std::size_t size = 0;
  while (const std::size_t count = read_some(there, held.data() + size, held.size() - size, file)) size += count;
  return std::string_view(held).substr(0, size) == text;
}

void write_if_changed(const std::filesystem::path& file, const std::string& text) {
  if (!holds_text(file, text)) write_file_atomically(file, text);
}

std::string to_json(const PlanFile& plan) {
  return record_text(plan_format, plan);
}

void write_plan(const std::filesystem::path& file, const PlanFile& plan) {
  write_if_changed(file, to_json(plan));
}

PlanFile read_plan(const std::filesystem::path& file) {
  return read_record<PlanFile>(real_world(), file, plan_format);
}

}  // namespace gausscse
