#include <nlohmann/json.hpp>
#include <set>

#include "experiments/dry_run/expected_work.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value, bool is_known) {
  return is_known ? Json(value) : Json();
}

Json work_json(std::span<const ExpectedTrial> trials, std::size_t slots) {
  const ExpectedWork work = expected_work(trials, slots);
  const bool is_known = work.to_run == 0 || work.unknown < work.to_run;
  return {{"trials", work.trials},
          {"done", work.done},
          {"failed", work.failed},
          {"to_run", work.to_run},
          {"of_unknown_cost", work.unknown},
          {"seconds", number_or_null(work.seconds, is_known)},
          {"disk_bytes", number_or_null(work.disk_bytes, is_known)},
          {"peak_bytes", number_or_null(work.peak_bytes, is_known && work.peak_is_known)}};
}

Json dry_run_trial_json(const ExpectedTrial& one) {
  Json coordinates = Json::object();
  for (const auto& [axis, label] : one.planned.coordinates) coordinates[axis] = label;
  Json json{{"title", title_of(one.planned)},
            {"coordinates", std::move(coordinates)},
            {"seed", one.planned.seed},
            {"identity", one.planned.identity},
            {"status", name_of(one.status)},
            {"negatives", one.is_guess ? Json() : Json(one.negatives)},
            {"seconds", number_or_null(one.cost ? one.cost->seconds : 0, one.cost.has_value())},
            {"disk_bytes", number_or_null(one.cost ? one.cost->disk_bytes : 0, one.cost.has_value())}};
  if (one.is_guess) json["guessed"] = true;
  if (!one.planned.waits_for.empty()) json["waits_for"] = one.planned.waits_for;
  return json;
}

}  // namespace

std::string dry_run_json(const DryRun& run) {
  Json stages = Json::array();
  for (const std::span<const ExpectedTrial> of_stage : run.stages()) {
    Json stage{{"stage", of_stage.front().planned.stage}, {"work", work_json(of_stage, run.slots)}};
    Json& trials = stage["trials"] = Json::array();
    for (const ExpectedTrial& one : of_stage) trials.push_back(dry_run_trial_json(one));
    stages.push_back(std::move(stage));
  }
  const Json json{{"format", "gausscse-dry-run/1"},
                  {"trials_at_once", run.slots},
                  {"work", work_json(run.trials, run.slots)},
                  {"stages", std::move(stages)}};
  // Labels may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gausscse
