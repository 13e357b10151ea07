#include "experiments/grid/probe_record.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "experiments/study/json_fields.hpp"

namespace gausscse {

namespace {

constexpr const char* probe_format = "gausscse-probe/1";
constexpr std::size_t largest_probe_record = std::size_t{1} << 20;

}  // namespace

void write_probe_record(const std::filesystem::path& file, const ProbeRecord& record) {
  nlohmann::ordered_json periods = nlohmann::ordered_json::array();
  for (const ProbeRecord::Period& period : record.periods)
    periods.push_back({{"eval_every", period.eval_every}, {"seconds", period.seconds}});
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const ProbeRecord::Step& step : record.steps)
    steps.push_back({{"batch_size", step.batch_size}, {"seconds", step.seconds}, {"memory_bytes", step.memory_bytes}});
  write_file_atomically(file, json_text({{"format", probe_format},
                                         {"ranks", record.ranks},
                                         {"threads", record.threads},
                                         {"examples", record.examples},
                                         {"start_seconds", record.start_seconds},
                                         {"measurement_seconds", record.measurement_seconds},
                                         {"periods", std::move(periods)},
                                         {"steps", std::move(steps)},
                                         {"disk_bytes", record.disk_bytes}}));
}

ProbeRecord read_probe_record(const std::filesystem::path& file) {
  const JsonDocument document = read_strict_json(file, largest_probe_record);
  check_json_format(document, probe_format, "record of a probe", file.string());
  JsonFields fields(document, file.string());
  fields.text("format");
  ProbeRecord record;
  record.ranks = fields.integer("ranks", 1);
  record.threads = fields.integer("threads", 1);
  record.examples = fields.integer("examples", 1);
  record.start_seconds = fields.seconds("start_seconds");
  record.measurement_seconds = fields.seconds("measurement_seconds");
  for (const nlohmann::json& period : fields.array("periods")) {
    JsonFields of_period(period, concat(file.string(), ": periods"));
    record.periods.push_back(
        {.eval_every = of_period.integer("eval_every", 1), .seconds = of_period.seconds("seconds")});
    of_period.expect_no_others();
  }
  for (const nlohmann::json& step : fields.array("steps")) {
    JsonFields of_step(step, concat(file.string(), ": steps"));
    record.steps.push_back({.batch_size = of_step.integer("batch_size", 1),
                            .seconds = of_step.seconds("seconds"),
                            .memory_bytes = of_step.bytes("memory_bytes")});
    if (record.steps.back().seconds == 0) of_step.refuse("seconds", "a positive number");
    of_step.expect_no_others();
  }
  if (record.steps.empty()) fields.refuse("steps", "at least one");
  record.disk_bytes = fields.bytes("disk_bytes");
  fields.expect_no_others();
  return record;
}

}  // namespace gausscse
