#include <algorithm>

#include "base/error.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/plots/plots.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

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
  Histograms (*of)(const NliSummary&);
};
constexpr ShownHistograms shown_histograms[] = {
    {"similarity", "similarity", [](const NliSummary& nli) { return nli.similarity(); }},
    {"log standard deviation of premises", "sum over dimensions, nats",
     [](const NliSummary& nli) { return nli.log_std([](double premise, double) { return premise; }); }},
    {"log standard deviation of hypotheses", "sum over dimensions, nats",
     [](const NliSummary& nli) { return nli.log_std([](double, double hypothesis) { return hypothesis; }); }},
    {"log standard deviation, premise minus hypothesis", "difference of the sums, nats", [](const NliSummary& nli) {
       return nli.log_std([](double premise, double hypothesis) { return premise - hypothesis; });
     }}};

void add_curve_plot(std::vector<PlotFigure>& figures, const ReportData& data, const GroupPanel& panel,
                    const std::string& task, const Against& kind) {
  const auto band = [&](const GroupSummary& group) -> const Band* {
    const NliSummary* nli = find_nli(group, task);
    return nli && !(nli->*kind.band).empty() ? &(nli->*kind.band) : nullptr;
  };
  if (std::none_of(panel.groups.begin(), panel.groups.end(), [&](std::size_t i) { return band(data.summaries[i]); }))
    return;
  LinePlot plot;
  plot.title = title_in(panel, concat(task, ", ", kind.words));
  plot.x_label = "recall, %";
  plot.y_label = "precision, %";
  plot.percent = true;
  plot.x_scale = 100;
  plot.x_range = plot.y_range = AxisRange{0, 1};
  plot.series = lines_of_groups(data, panel, band);
  figures.push_back(drawn(plot));
}

void add_histograms(HtmlWriter& page, const GroupSummary& group) {
  std::vector<PlotFigure> figures;
  for (const NliSummary& nli : group.nli) {
    for (const ShownHistograms& shown : shown_histograms) {
      const Histograms histograms = shown.of(nli);
      if (histograms.series.empty()) continue;
      figures.push_back(drawn(HistogramPlot{concat(nli.task, ": ", shown.title), shown.x_label, histograms}));
    }
  }
  add_figures(page, figures);
}

}  // namespace

void add_precision_recall(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  if (!has_nli(data)) return;
  page.element("p",
               "Precision and recall of pairs whose similarity is at least a threshold, for all thresholds, in the "
               "state that was kept.");
  for (const ShownStage& stage : shown_stages(data)) {
    const std::vector<std::string> tasks = nli_tasks(data, stage.groups);
    if (tasks.empty()) continue;
    add_heading(page, stage.heading);
    add_quiet(page, band_note(data, stage.groups));
    std::vector<PlotFigure> figures;
    const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
    for (const std::string& task : tasks)
      for (const Against& kind : against)
        for (const GroupPanel& panel : panels) add_curve_plot(figures, data, panel, task, kind);
    add_figures(page, figures);
  }
}

void add_distributions(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  if (!has_nli(data)) return;
  page.element(
      "p",
      "The histograms have the pairs of all seeds; the shares of each label add up to 100 %. Axes show where most "
      "values lie, and a note below a plot counts the others. The log standard "
      "deviation of a sentence is the sum over its dimensions, half the sum of its log-variances.");
  bool first = true;
  for (const ShownStage& stage : shown_stages(data)) {
    if (nli_tasks(data, stage.groups).empty()) continue;
    add_heading(page, stage.heading);
    for (const std::size_t i : stage.groups) {
      if (nli_tasks(data, {i}).empty()) continue;
      open_details(page, data.groups[i].label, first);
      first = false;
      add_histograms(page, data.summaries[i]);
      page.close();
    }
  }
}

}  // namespace gausscse
