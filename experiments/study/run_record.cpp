#include "experiments/study/run_record.hpp"

#include "base/atomic_file.hpp"
#include "base/strict_json.hpp"
#include "experiments/study/json_fields.hpp"

namespace gausscse {

namespace {

constexpr const char* run_format = "gausscse-run/1";
constexpr const char* failure_format = "gausscse-failure/1";
constexpr std::size_t largest_record = std::size_t{16} << 20;

}  // namespace

void write_run_record(const std::filesystem::path& file, const RunRecord& record) {
  write_file_atomically(file, checked_json_text({{"format", run_format},
                                                 {"identity", record.identity},
                                                 {"result_bytes", record.result_bytes},
                                                 {"result_hash", record.result_hash},
                                                 {"report_hash", record.report_hash},
                                                 {"trial_hash", record.trial_hash},
                                                 {"attempts_hash", record.attempts_hash},
                                                 {"seconds", record.seconds},
                                                 {"attempts", record.attempts},
                                                 {"steps", record.steps},
                                                 {"step_seconds", record.step_seconds},
                                                 {"ranks", record.ranks},
                                                 {"threads", record.threads},
                                                 {"peak_memory_bytes", record.peak_memory_bytes},
                                                 {"disk_bytes", record.disk_bytes},
                                                 {"hosts", record.hosts},
                                                 {"ended", record.ended}}));
}

RunRecord read_run_record(const std::filesystem::path& file) {
  const JsonDocument document = read_strict_json(file, largest_record, Links::refused);
  check_json_format(document, run_format, "record of how a trial ran", file.string());
  JsonFields fields(document, file.string());
  fields.text("format");
  RunRecord record;
  record.identity = fields.text_if_there("identity");
  record.result_bytes = fields.bytes("result_bytes");
  record.result_hash = fields.text("result_hash");
  record.report_hash = fields.text_if_there("report_hash");
  record.trial_hash = fields.text_if_there("trial_hash");
  record.attempts_hash = fields.text_if_there("attempts_hash");
  record.seconds = fields.seconds("seconds");
  record.attempts = fields.integer("attempts", 0);
  record.steps = fields.integer("steps", 0);
  record.step_seconds = fields.seconds("step_seconds");
  record.ranks = fields.integer("ranks", 1);
  record.threads = fields.integer("threads", 1);
  record.peak_memory_bytes = fields.bytes("peak_memory_bytes");
  record.disk_bytes = fields.bytes("disk_bytes");
  record.hosts = fields.texts("hosts");
  record.ended = fields.text("ended");
  record.is_checked = fields.expect_as_written(remedy_of_damage);
  return record;
}

void write_failure_record(const std::filesystem::path& file, const FailureRecord& record) {
  write_file_atomically(file, checked_json_text({{"format", failure_format},
                                                 {"reason", record.reason},
                                                 {"error", record.error},
                                                 {"lines", record.lines},
                                                 {"attempts", record.attempts},
                                                 {"seconds", record.seconds},
                                                 {"host", record.host},
                                                 {"ended", record.ended}}));
}

FailureRecord read_failure_record(const std::filesystem::path& file) {
  const JsonDocument document = read_strict_json(file, largest_record, Links::refused);
  check_json_format(document, failure_format, "record of how a trial failed", file.string());
  JsonFields fields(document, file.string());
  fields.text("format");
  FailureRecord record;
  record.reason = fields.text("reason");
  record.error = fields.text("error");
  record.lines = fields.texts("lines");
  record.attempts = fields.integer("attempts", 0);
  record.seconds = fields.seconds("seconds");
  record.host = fields.text("host");
  record.ended = fields.text("ended");
  fields.expect_as_written("move it away; --retry-failed runs the trial again");
  return record;
}

}  // namespace gausscse
