#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/plots/plots.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

constexpr std::size_t longest_plot_title = 160;

const NliOfGroup* find_nli(const GroupSummary& summary, const std::string& task) {
  for (const NliOfGroup& nli : summary.nli)
    if (nli.summary.task == task) return &nli;
  return nullptr;
}

std::vector<std::string> nli_tasks(const ReportData& data, const std::vector<std::size_t>& groups) {
  std::vector<std::string> tasks;
  for (const std::size_t i : groups)
    for (const NliOfGroup& nli : data.summaries[i].nli)
      if (nli.summary.pairs > 0) add_once(tasks, nli.summary.task);
  return tasks;
}

bool has_nli(const ReportData& data) {
  return std::any_of(data.summaries.begin(), data.summaries.end(),
                     [](const GroupSummary& s) { return !s.nli.empty(); });
}

struct Against {
  const char* words;
  Band NliSummary::*band;
};
constexpr Against against[] = {{"entailment against all others", &NliSummary::among_all},
                               {"entailment against neutral", &NliSummary::among_neutral},
                               {"entailment against contradiction", &NliSummary::among_contradictions}};

struct ShownHistograms {
  const char *title, *x_label;
  Histograms NliSummary::*histograms;
};
constexpr ShownHistograms shown_histograms[] = {
    {"Similarity", "similarity", &NliSummary::similarity},
    {"Premises: log standard deviation", "sum over dimensions, nats", &NliSummary::log_std_premise},
    {"Hypotheses: log standard deviation", "sum over dimensions, nats", &NliSummary::log_std_hypothesis},
    {"Premise minus hypothesis: log standard deviation", "difference of the sums, nats",
     &NliSummary::log_std_difference}};

void add_curve_plot(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const std::string& task,
                    const Against& kind) {
  LinePlot plot;
  plot.title =
      shortened(concat(task, ", ", kind.words, panel.title.empty() ? "" : ": ", panel.title), longest_plot_title);
  plot.x_label = "recall, %";
  plot.y_label = "precision, %";
  plot.percent = true;
  plot.x_scale = 100;
  plot.x_range = plot.y_range = AxisRange{0, 1};
  bool any = false;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const NliOfGroup* nli = find_nli(data.summaries[panel.groups[i]], task);
    const Band band = nli ? nli->summary.*kind.band : Band{};
    any |= !band.x.empty();
    plot.series.push_back(line_of(band, panel.labels[i]));
  }
  if (any) add_figure(page, plot);
}

void add_histograms(HtmlWriter& page, const GroupSummary& group) {
  page.open("div", {{"class", "figures"}});
  for (const NliOfGroup& nli : group.nli) {
    for (const ShownHistograms& shown : shown_histograms) {
      const Histograms& histograms = nli.summary.*shown.histograms;
      if (histograms.series.empty()) continue;
      add_figure(page, HistogramPlot{concat(nli.summary.task, ": ", shown.title), shown.x_label, histograms});
    }
  }
  page.close();
}

}  // namespace

bool add_precision_recall(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  if (!has_nli(data)) return false;
  open_section(page, "precision-recall", "Precision and recall");
  page.element("p",
               "Precision and recall of pairs whose similarity is at least a threshold, for all thresholds, in the "
               "state that was kept.");
  const std::vector<ShownStage> stages = shown_stages(data);
  for (const ShownStage& stage : stages) {
    const std::vector<std::string> tasks = nli_tasks(data, stage.groups);
    if (tasks.empty()) continue;
    if (const std::string heading = heading_of(stage, stages.size()); !heading.empty()) page.element("h3", heading);
    page.element("p", band_note(data, stage.groups), {{"class", "quiet"}});
    page.open("div", {{"class", "figures"}});
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    for (const std::string& task : tasks)
      for (const Against& kind : against)
        for (const GroupPanel& panel : panels) add_curve_plot(page, data, panel, task, kind);
    page.close();
  }
  page.close();
  return true;
}

bool add_distributions(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  if (!has_nli(data)) return false;
  open_section(page, "distributions", "Similarity and variance by gold label");
  page.element("p",
               "The histograms have the pairs of all seeds; the shares of each label add up to 100 %. The log standard "
               "deviation of a sentence is the sum over its dimensions, half the sum of its log-variances.");
  bool first = true;
  const std::vector<ShownStage> stages = shown_stages(data);
  for (const ShownStage& stage : stages) {
    if (nli_tasks(data, stage.groups).empty()) continue;
    if (const std::string heading = heading_of(stage, stages.size()); !heading.empty()) page.element("h3", heading);
    for (const std::size_t i : stage.groups) {
      if (nli_tasks(data, {i}).empty()) continue;
      open_details(page, data.groups[i].label, first);
      first = false;
      add_histograms(page, data.summaries[i]);
      page.close();
    }
  }
  page.close();
  return true;
}

}  // namespace gausscse
