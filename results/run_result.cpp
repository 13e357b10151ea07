#include "results/run_result.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns the element with this name, added with `make` where there is none.
template <typename Elements, typename Make>
auto& find_or_add(Elements& elements, std::string Elements::value_type::*name, const std::string& wanted, Make make) {
  const auto found =
      std::find_if(elements.begin(), elements.end(), [&](const auto& element) { return element.*name == wanted; });
  return found != elements.end() ? *found : elements.emplace_back(make());
}

}  // namespace

bool is_untrained_best(std::string_view state, std::int64_t step) {
  return state == "best" && step == 0;
}

void attach_backbone(std::vector<StateResult>& states) {
  for (const StateResult& state : states) {
    if (state.state != backbone_state || &state == &states.front()) continue;
    std::vector<Measurement> backbone = state.tasks;
    for (Measurement& measurement : backbone) measurement.columns.clear();
    states.front().backbone = std::move(backbone);
  }
}

const StateResult* find_state(const RunResult& result, std::string_view name) {
  for (const StateResult& state : result.states)
    if (state.state == name) return &state;
  return nullptr;
}

const StateResult& kept_state(const RunResult& result) {
  if (result.states.empty()) throw InputError(no_state_text);
  return result.states.front();
}

void add_to_curves(const Measurement& measurement, std::int64_t step, std::vector<Curve>& curves) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Curve& curve = find_or_add(curves, &Curve::task, measurement.task, [&] { return Curve{measurement.task, {}, {}}; });
  for (const Metric& metric : measurement.metrics) {
    Curve::Line& line = find_or_add(curve.lines, &Curve::Line::metric, metric.name, [&] {
      return Curve::Line{metric.name, metric.unit, std::vector<double>(curve.step.size(), none)};
    });
    line.values.push_back(metric.value);
  }
  curve.step.push_back(step);
  for (Curve::Line& line : curve.lines) line.values.resize(curve.step.size(), none);
}

std::optional<std::string> different_instructions(const Provenance& provenance, bool bfloat16) {
  const auto computes_with = [&](std::size_t rank) {
    return concat(
        "kernels for ", provenance.instruction_sets[rank],
        bfloat16 ? concat(", products in bf16 with ", provenance.bfloat16_instructions[rank]) : std::string());
  };
  // Hosts of GPUs compute nothing whose bits anybody compares; ranks are all on GPUs, or none is.
  if (!provenance.devices.empty() && provenance.devices[0] != "cpu") return std::nullopt;
  std::size_t other = 1;
  while (other < provenance.hosts.size() && computes_with(other) == computes_with(0)) ++other;
  if (other >= provenance.hosts.size()) return std::nullopt;
  return concat("ranks compute with different instructions, so the last bits of their results differ: rank 0 on ",
                provenance.hosts[0], " has ", computes_with(0), ", rank ", other, " on ", provenance.hosts[other],
                " has ", computes_with(other));
}

std::vector<ProvenanceRow> provenance_rows(const Provenance& provenance) {
  std::vector<ProvenanceRow> rows{{"version", "version", {provenance.version}},
                                  {"commit", "commit", {provenance.commit}},
                                  {"ranks", "ranks", {std::to_string(provenance.ranks)}},
                                  {"threads", "threads of a rank", {std::to_string(provenance.threads)}},
                                  {"hosts", "hosts", provenance.hosts},
                                  {"devices", "devices", provenance.devices},
                                  {"instruction_sets", "instruction sets", provenance.instruction_sets},
                                  {"bfloat16_instructions", "bfloat16 instructions", provenance.bfloat16_instructions}};
  for (const auto& [library, version] : provenance.libraries)
    rows.push_back({library, "library " + library, {version}});
  return rows;
}

}  // namespace gausscse
