#include "training/resume.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "config/trial/trial_identity.hpp"
#include "dist/group_work.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

/// Beginning of the lines that follow the trial.
constexpr const char* content_of = "content of ";

/// Returns the lines of `text` that `other` has not.
std::string lines_missing_in(const std::string& other, const std::string& text) {
  const std::vector<std::string> others = lines_of(other);
  const std::set<std::string> known(others.begin(), others.end());
  std::string missing;
  for (const std::string& line : lines_of(text)) {
    if (known.count(line) > 0) continue;
    const std::size_t begin = line.find_first_not_of(' ');
    missing += (missing.empty() ? "" : "; ") + line.substr(begin == std::string::npos ? 0 : begin);
  }
  return missing.empty() ? "nothing else" : missing;
}

/// Returns "content of PATH: HASH" with the role of the file in the trial in place of its path; other lines as they
/// are.
std::string with_role(const Trial& trial, const std::string& line) {
  const std::size_t begin = std::string_view(content_of).size();
  const std::size_t colon = line.rfind(": ");
  if (!line.starts_with(content_of) || colon == std::string::npos || colon < begin) return line;
  return content_of + role_of_file(trial, line.substr(begin, colon - begin)) + line.substr(colon);
}

/// Returns the state that rank 0 finds, which alone calls this.
std::optional<TrainingState> find_state(const CheckpointFolder& folder, const std::string& configuration,
                                        bool overwrite, TrainingObserver& observer) {
  std::vector<std::string> problems;
  std::optional<TrainingState> state = folder.newest(problems);
  for (const std::string& problem : problems)
    observer.on_warning(concat(problem, ": it is removed, and the one before it taken if there is one"));
  if (!state) return state;
  const std::string of_state = in_present_form(state->configuration);
  if (of_state == configuration) return state;
  if (overwrite) {
    observer.on_warning(
        concat("the checkpoints in ", folder.path().string(), " are of another configuration: removed"));
    folder.remove();
  } else {
    throw InputError(concat(folder.path().string(), " holds checkpoints of another configuration, ",
                            difference_between(of_state, configuration),
                            ": give another `output`, or --overwrite to lose them"));
  }
  return std::nullopt;
}

constexpr const char* how_to_go_on = ": give another `output`, or --overwrite to lose it";

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
    throw InputError(concat(error.what(), "; no run may take its place unasked", how_to_go_on));
  }
  if (of_result != configuration)
    throw InputError(concat(file.string(), " is the result of another configuration, ",
                            difference_between(of_result, configuration), how_to_go_on));
  return result;
}

/// Returns the place in a configuration behind its trial.
std::size_t end_of_trial(const std::string& configuration) {
  const std::size_t found = configuration.find(concat("\n", content_of));
  return found == std::string::npos ? configuration.size() : found + 1;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string difference_between(const std::string& there, const std::string& here) {
  return concat("with ", lines_missing_in(here, there), " where this one has ", lines_missing_in(there, here));
}

void broadcast_state(TrainingState& state, Communicator& communicator) {
  std::vector<double> numbers = numbers_of(state);
  broadcast_numbers(numbers, communicator);
  GAUSSCSE_CHECK(set_numbers(state, numbers), "all ranks have the same state");
  // Curves are rank 0's alone.
  for_each_series(state, [&]<typename T>(const std::string&, std::vector<T>& series) {
    std::vector<double> values(series.begin(), series.end());
    broadcast_numbers(values, communicator);
    series.resize(values.size());
    std::transform(values.begin(), values.end(), series.begin(), [](double value) { return static_cast<T>(value); });
  });
  for_each_tensor(state, [&](const char*, at::Tensor& tensor) {
    std::vector<double> shape{0, 0};
    if (tensor.defined())
      shape = {static_cast<double>(tensor.numel()), tensor.scalar_type() == at::kDouble ? 1.0 : 0.0};
    broadcast_numbers(shape, communicator);
    if (!tensor.defined())
      tensor = at::empty({static_cast<std::int64_t>(shape[0])}, shape[1] > 0 ? at::kDouble : at::kFloat);
    communicator.broadcast(tensor, 0);
  });
}

Trial trial_of_configuration(const std::string& configuration) {
  return parse_trial(configuration.substr(0, end_of_trial(configuration)), "checkpoint", "/");
}

std::string in_present_form(const std::string& configuration) {
  const std::size_t contents = end_of_trial(configuration);
  try {
    const Trial trial = trial_of_configuration(configuration);
    std::string text = to_yaml(canonical_trial(trial));
    for (const std::string& line : lines_of(configuration.substr(contents))) text += with_role(trial, line) + "\n";
    return text;
  } catch (const InputError&) {
    return configuration;
  }
}

std::string resumable_configuration(const Trial& trial,
                                    const std::vector<std::pair<std::string, std::string>>& contents) {
  std::string text = to_yaml(canonical_trial(trial));
  for (const auto& [file, hash] : contents) text += concat(content_of, role_of_file(trial, file), ": ", hash, "\n");
  return text;
}

std::optional<TrainingState> state_to_resume(const CheckpointFolder& folder, const std::string& configuration,
                                             bool overwrite, Communicator& communicator, TrainingObserver& observer) {
  std::optional<TrainingState> state;
  run_on_root(communicator, [&] { state = find_state(folder, configuration, overwrite, observer); });
  std::vector<double> there{state ? 1.0 : 0.0};
  broadcast_numbers(there, communicator);
  if (there.front() == 0.0) return std::nullopt;
  if (!state) state.emplace();
  broadcast_state(*state, communicator);
  return state;
}

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
