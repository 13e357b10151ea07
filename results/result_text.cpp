#include "results/result_text.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

constexpr std::size_t sparkline_width = 60;
constexpr std::size_t most_training_rows = 12;
constexpr std::size_t most_task_rows = 20;

/// A line of numbers and how one of them is written.
struct Line {
  std::string name;
  std::span<const double> values;
  std::string (*text)(double);
  std::optional<double> backbone = {};  ///< the backbone's value
};

/// Returns whether a table of these lines has the backbone's values.
bool have_backbone(const std::vector<Line>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.backbone.has_value(); });
}

std::string backbone_text(const Line& line) {
  return line.backbone ? line.text(*line.backbone) : "-";
}

std::string learning_rate_text(double value) {
  return concat(value);
}

std::vector<Line> lines_of(const TrainingSeries& training) {
  return {{"loss", training.loss, text_of(Unit::number)},
          {"learning rate", training.learning_rate, learning_rate_text},
          {"gradient norm", training.gradient_norm, text_of(Unit::number)},
          {"examples/s", training.examples_per_second, text_of(Unit::count)}};
}

/// Returns the lines of the whole task, without those of its parts.
std::vector<Line> lines_of(const Curve& curve, const Measurement* backbone) {
  std::vector<Line> lines;
  for (const Curve::Line& line : curve.lines) {
    if (line.metric.find('.') != std::string::npos) continue;
    lines.push_back({heading_of({line.metric, 0, line.unit}), line.values, text_of(line.unit)});
    if (const Metric* metric = backbone ? find_metric(backbone->metrics, line.metric) : nullptr)
      lines.back().backbone = metric->value;
  }
  return lines;
}

/// Returns a line for each curve: the backbone's value, its first and last one, and its shape.
std::string sparklines(const std::vector<Line>& curves) {
  Rows names_and_ends;
  for (const Line& curve : curves) {
    names_and_ends.push_back({curve.name});
    Row& row = names_and_ends.back();
    if (have_backbone(curves)) row.insert(row.end(), {"backbone", backbone_text(curve) + ","});
    row.insert(row.end(), {curve.text(curve.values.front()), "to", curve.text(curve.values.back())});
  }
  std::istringstream lines(text_table(names_and_ends));
  std::string text, line;
  for (const Line& curve : curves) {
    std::getline(lines, line);
    text += line + "  " + sparkline(curve.values, sparkline_width) + "\n";
  }
  return text;
}

/// Returns a row for each of `most` evenly chosen steps, first and last among them.
std::string table_of(std::span<const std::int64_t> steps, const std::vector<Line>& curves, std::size_t most) {
  Rows rows{{"step"}};
  for (const Line& curve : curves) rows[0].push_back(curve.name);
  if (have_backbone(curves)) {
    rows.push_back({"backbone"});
    for (const Line& curve : curves) rows[1].push_back(backbone_text(curve));
  }
  const std::size_t count = std::min(most, steps.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == 1 ? 0 : i * (steps.size() - 1) / (count - 1);
    rows.push_back({std::to_string(steps[at])});
    for (const Line& curve : curves) rows.back().push_back(curve.text(curve.values[at]));
  }
  return text_table(rows, measurement_width);
}

std::string section(const std::string& heading, std::span<const std::int64_t> steps, const std::vector<Line>& curves,
                    std::size_t most, CurveStyle style) {
  if (steps.empty()) return heading + "none\n";
  return concat(heading, steps.size(), ", from step ", steps.front(), " to ", steps.back(), "\n") +
         indented(style == CurveStyle::sparkline ? sparklines(curves) : table_of(steps, curves, most));
}

/// Returns "a, b": the values of the ranks, each once.
std::string different_ones(std::vector<std::string> of_ranks) {
  std::sort(of_ranks.begin(), of_ranks.end());
  of_ranks.erase(std::unique(of_ranks.begin(), of_ranks.end()), of_ranks.end());
  return joined(of_ranks);
}

std::string provenance_text(const Provenance& from) {
  std::string text = concat("gausscse ", from.version, " (", from.commit, ")");
  for (const auto& [name, version] : from.libraries) text += concat(", ", name, " ", version);
  text += concat("\n", counted(from.ranks, "rank"), from.devices.empty() ? "" : " on ", different_ones(from.devices),
                 ", ", counted(from.threads, "thread"), " each, kernels for ", different_ones(from.instruction_sets),
                 ", bf16 instructions ", different_ones(from.bfloat16_instructions), "\n");
  if (!from.hosts.empty()) text += concat("hosts: ", different_ones(from.hosts), "\n");
  if (const auto& continued = from.continued) {
    text += concat("continues the run ", continued->run, " of ", continued->folder, " after step ", continued->step,
                   ", from the checkpoint ", continued->checkpoint, "\n");
    for (const std::string& change : continued->changes) text += concat("  ", change, "\n");
  }
  return text;
}

}  // namespace

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += line.empty() ? "\n" : "  " + line + "\n";
  return result;
}

std::string curves_text(const TrainingSeries& training, const std::vector<Curve>& curves, CurveStyle style,
                        const StateResult* backbone) {
  std::string text = section("training steps: ", training.step, lines_of(training), most_training_rows, style);
  for (const Curve& curve : curves)
    text += section(concat("measurements of ", curve.task, ": "), curve.step,
                    lines_of(curve, backbone ? find_measurement(backbone->tasks, curve.task) : nullptr), most_task_rows,
                    style);
  return text;
}

std::string result_text(const RunResult& result, CurveStyle style) {
  std::string text = indented(provenance_text(result.provenance)) + "made from (XXH3-128):\n";
  for (const auto& [name, hash] : result.provenance.data_hashes) text += concat("  ", hash, "  ", name, "\n");
  text += "configuration:\n" + indented(result.configuration);
  if (!result.ended_early.empty()) text += concat("ended early ", result.ended_early, "\n");
  if (!result.halved_micro_batch.empty()) text += concat("micro-batch halved ", result.halved_micro_batch, "\n");
  text += curves_text(result.training, result.curves, style, find_state(result, backbone_state));
  for (const StateResult& state : result.states)
    if (state.state != backbone_state) text += measurement_table(state);
  return text;
}

}  // namespace gausscse
