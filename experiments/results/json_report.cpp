#include "experiments/results/json_report.hpp"

#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/results/average.hpp"
#include "experiments/results/json_values.hpp"

namespace gausscse {

namespace {

constexpr std::string_view report_format_of_any_version = "gausscse-report/";
constexpr std::size_t largest_report = std::size_t{16} << 20;

nlohmann::ordered_json to_json(const Provenance& from) {
  nlohmann::ordered_json libraries = nlohmann::ordered_json::object(), made_from = nlohmann::ordered_json::array();
  for (const auto& [name, version] : from.libraries) libraries[name] = version;
  for (const auto& [name, hash] : from.data_hashes) made_from.push_back({{"name", name}, {"xxh3_128", hash}});
  return {{"version", from.version},
          {"commit", from.commit},
          {"libraries", std::move(libraries)},
          {"ranks", from.ranks},
          {"threads", from.threads},
          {"hosts", from.hosts},
          {"instruction_sets", from.instruction_sets},
          {"bfloat16_instructions", from.bfloat16_instructions},
          {"made_from", std::move(made_from)}};
}

bool is_report(const std::filesystem::path& path) {
  try {
    const nlohmann::json report = nlohmann::json::parse(read_whole_file(path, largest_report), nullptr, false);
    const auto format = report.find("format");
    return format != report.end() && format->is_string() &&
           format->get<std::string>().starts_with(report_format_of_any_version);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

nlohmann::ordered_json to_json(const NliMetrics& metrics) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for_each_metric(metrics, [&](const char* name, const auto& value) { figures[name] = value; });
  return figures;
}

nlohmann::ordered_json to_json(const StateResult& state) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::object();
  for (const TestResult& test : state.tests) tests[test.name] = to_json(test.metrics);
  nlohmann::ordered_json report{{"state", state.state}, {"step", state.step}};
  if (state.dev) report["dev"] = to_json(*state.dev);
  report["test"] = std::move(tests);
  if (const auto average = average_of(state.tests))
    for_each_average(*average, [&](const char* name, double value) { report["average"][name] = value; });
  return report;
}

std::string json_report(const StateResult& state) {
  nlohmann::ordered_json report{{"format", report_format}};
  report.update(to_json(state));
  return report.dump(2) + "\n";
}

std::string json_report(const RunResult& result) {
  nlohmann::ordered_json states = nlohmann::ordered_json::array();
  for (const StateResult& state : result.states) states.push_back(to_json(state));
  const nlohmann::ordered_json report{{"kind", "result"},
                                      {"configuration", result.configuration},
                                      {"provenance", to_json(result.provenance)},
                                      {"training", columns_to_json(result.training)},
                                      {"dev", columns_to_json(result.dev)},
                                      {"states", std::move(states)}};
  return report.dump(2) + "\n";
}

void check_report_file(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && !input_at(path, inputs) && !is_report(path))
    throw InputError(
        concat(name, " ", path.string(), " is there already and no report of gausscse: give another path"));
  check_output_file(name, path, inputs, ExistingFile::replace);
}

}  // namespace gausscse
