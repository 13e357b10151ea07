#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

const ProbabilitySummary* find_probabilities(const GroupSummary& group, const std::string& task) {
  for (const ProbabilitySummary& probability : group.probabilities)
    if (probability.task == task && !probability.empty()) return &probability;
  return nullptr;
}

PlotFigure reliability_diagram(const std::string& task, const ProbabilitySummary& probability) {
  LinePlot plot;
  plot.title = concat(task, ", reliability");
  plot.x_label = "probability of entailment, %";
  plot.y_label = "share of entailments, %";
  plot.percent = true;
  plot.x_scale = 100;
  plot.x_range = plot.y_range = AxisRange{0, 1};
  LineSeries line{.label = "observed", .bars = true};
  double least = 0, most = 0;
  for (const ReliabilityBin& bin : probability.reliability()) {
    line.x.push_back(bin.probability);
    line.y.push_back(bin.share);
    line.low.push_back(bin.interval.low);
    line.high.push_back(bin.interval.high);
    least = line.x.size() == 1 ? bin.pairs : std::min(least, bin.pairs);
    most = std::max(most, bin.pairs);
  }
  const std::size_t bins = line.x.size();
  plot.series = {std::move(line)};
  plot.references = {{.label = "as the probability says", .x = {0, 1}, .y = {0, 1}}};
  PlotFigure metric = drawn(plot);
  metric.note = concat(bins, " bins of ", short_number(least), least == most ? "" : concat(" to ", short_number(most)),
                       " pairs.");
  return metric;
}

void add_risk_plot(std::vector<PlotFigure>& metrics, const ReportData& data, const GroupPanel& panel,
                   const std::string& task) {
  const auto band = [&](const GroupSummary& group) -> const Band* {
    const ProbabilitySummary* probability = find_probabilities(group, task);
    return probability ? &probability->risk : nullptr;
  };
  if (std::none_of(panel.groups.begin(), panel.groups.end(), [&](std::size_t i) { return band(data.summaries[i]); }))
    return;
  LinePlot plot;
  plot.title = title_in(panel, concat(task, ", error by coverage"));
  plot.x_label = "coverage: most confident pairs, %";
  plot.y_label = "error among them, %";
  plot.percent = true;
  plot.x_scale = 100;
  plot.x_range = AxisRange{0, 1};
  plot.series = lines_of_groups(data, panel, band);
  double highest = 0.1;
  for (const LineSeries& line : plot.series)
    for (const std::vector<double>* values : {&line.y, &line.high})
      for (const double value : *values) highest = std::max(highest, value);
  plot.y_range = AxisRange{0, 1.05 * highest};
  plot.references = {{.label = "5 % of errors", .x = {0, 1}, .y = {0.05, 0.05}},
                     {.label = "10 % of errors", .x = {0, 1}, .y = {0.1, 0.1}}};
  metrics.push_back(drawn(plot));
}

/// Returns the tasks of the groups that have probabilities.
std::vector<std::string> tasks_with_probabilities(const ReportData& data, const std::vector<std::size_t>& groups) {
  std::vector<std::string> tasks;
  for (const std::size_t i : groups)
    for (const ProbabilitySummary& probability : data.summaries[i].probabilities)
      if (!probability.empty()) add_once(tasks, probability.task);
  return tasks;
}

void add_diagrams_of_group(HtmlWriter& page, const GroupSummary& group, const std::vector<std::string>& tasks) {
  std::vector<PlotFigure> metrics;
  for (const std::string& task : tasks) {
    const ProbabilitySummary* probability = find_probabilities(group, task);
    if (!probability) continue;
    metrics.push_back(reliability_diagram(task, *probability));
    metrics.push_back(drawn(HistogramPlot{concat(task, ": probability of entailment"), "probability of entailment",
                                          probability->histograms()}));
  }
  add_figures(page, metrics);
}

}  // namespace

void add_probabilities(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  bool is_first = true;
  for (const ShownStage& stage : shown_stages(data)) {
    const std::vector<std::string> tasks = tasks_with_probabilities(data, stage.groups);
    if (tasks.empty()) continue;
    if (is_first)
      page.element("p",
                   "The probability that the premise entails the hypothesis, by Platt's calibration, in the state that "
                   "was kept. Pairs that the calibration was fitted on are left out. An answer is \"entailed\" for a "
                   "probability of one half or more; it is more confident the farther the probability is from one "
                   "half.");
    add_heading(page, stage.heading);
    add_quiet(page, band_note(data, stage.groups));
    std::vector<PlotFigure> metrics;
    for (const std::string& task : tasks)
      for (const GroupPanel& panel : panels_of(data.groups, stage.groups, most_lines))
        add_risk_plot(metrics, data, panel, task);
    add_figures(page, metrics);
    add_quiet(page,
              "Reliability: pairs by rising probability in 15 bins of equal numbers, and the share of entailments in "
              "each. Points on the grey line have the share that the probability promises. Bars are Wilson's 95% "
              "intervals over pairs; with several seeds a point is their mean.");
    for (const std::size_t i : stage.groups) {
      if (tasks_with_probabilities(data, {i}).empty()) continue;
      open_details(page, data.groups[i].label, is_first);
      is_first = false;
      add_diagrams_of_group(page, data.summaries[i], tasks);
      page.close();
    }
  }
}

}  // namespace gausscse
