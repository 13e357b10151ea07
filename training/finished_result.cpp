#include "training/finished_result.hpp"

#include "base/error.hpp"
#include "config/trial/trial.hpp"
#include "dist/group_work.hpp"
#include "results/result_file.hpp"
#include "training/resume.hpp"

namespace gausscse {

namespace {

constexpr const char* what_to_do = ": give another `output`, or --overwrite to lose it";

RunResult read_finished(const std::filesystem::path& file, const std::string& configuration) {
  RunResult result;
  std::string of_result;
  try {
    result = read_result(file, Links::refused);
    const Trial trial = parse_trial(result.configuration, file.string(), file.parent_path());
    of_result = resumable_configuration(trial, result.provenance.data_hashes);
    if (kept_state(result).state != (trial.select.task.empty() ? "last" : "best"))
      throw InputError(concat(file.string(), ": lacks the state that select chose"));
  } catch (const InputError& error) {
    throw InputError(concat(error.what(), "; no run may take its place unasked", what_to_do));
  }
  if (of_result != configuration)
    throw InputError(concat(file.string(), " is the result of another configuration, ",
                            difference(of_result, configuration), what_to_do));
  return result;
}

}  // namespace

std::optional<RunResult> finished_result(const std::filesystem::path& file, const std::string& configuration,
                                         ControlGroup& ranks) {
  RunResult result;
  bool exists = false;
  run_on_root(ranks, [&] {
    exists = std::filesystem::exists(file);
    if (exists) result = read_finished(file, configuration);
  });
  const bool on_root = !ranks.all_gather_text(exists ? "exists" : "").front().empty();
  return on_root ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace gausscse
