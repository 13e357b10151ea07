#include "experiments/report/sections/section_parts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/sections/metric_words.hpp"

namespace gausscse {

void open_scroll(HtmlWriter& page, const std::string& label) {
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}});
}

void open_details(HtmlWriter& page, const std::string& summary, bool is_open) {
  constexpr std::size_t longest_summary = 300;
  if (is_open) {
    page.open("details", {{"open", "open"}});
  } else {
    page.open("details");
  }
  page.element("summary", shortened(summary, longest_summary));
}

void open_metrics(HtmlWriter& page) {
  page.open("div", {{"class", "figures"}});
}

void add_quiet(HtmlWriter& page, const std::string& text) {
  page.element("p", text, {{"class", "quiet"}});
}

void add_heading(HtmlWriter& page, const std::string& heading) {
  if (!heading.empty()) page.element("h3", heading);
}

void open_table(HtmlWriter& page, const TableHead& head) {
  open_scroll(page, head.label);
  if (*head.style != '\0')
    page.open("table", {{"class", head.style}});
  else
    page.open("table");
  if (!head.caption.empty()) page.element("caption", head.caption);
  if (!head.columns.empty()) {
    page.open("thead").open("tr");
    for (std::size_t i = 0; i < head.columns.size(); ++i)
      if (i < head.columns_of_words)
        page.element("th", head.columns[i], {{"scope", "col"}, {"class", "words"}});
      else
        page.element("th", head.columns[i], {{"scope", "col"}});
    page.close().close();
  }
  page.open("tbody");
}

void close_table(HtmlWriter& page) {
  page.close().close().close();
}

void add_row(HtmlWriter& page, std::string_view heading, const std::vector<std::string>& cells) {
  page.open("tr").element("th", heading, {{"scope", "row"}});
  for (const std::string& cell : cells) page.element("td", cell);
  page.close();
}

void add_facts_table(HtmlWriter& page, const std::string& caption, const Facts& facts) {
  constexpr std::size_t longest_value = 4000;
  open_table(page, {.label = caption, .caption = caption, .style = "settings"});
  for (const auto& [name, value] : facts) {
    page.open("tr").element("th", name, {{"scope", "row"}});
    page.element("td", shortened(value, longest_value), {{"class", "words"}}).close();
  }
  close_table(page);
}

std::vector<ShownStage> shown_stages(const ReportData& data) {
  std::vector<ShownStage> stages;
  for (std::size_t i = 0; i < data.groups.size(); ++i) {
    if (data.summaries[i].seeds == 0) continue;
    auto stage = std::find_if(stages.begin(), stages.end(),
                              [&](const ShownStage& known) { return known.stage == data.groups[i].stage; });
    if (stage == stages.end()) stage = stages.insert(stages.end(), ShownStage{data.groups[i].stage});
    if (data.shown[i]) {
      stage->groups.push_back(i);
    } else {
      ++stage->left_out;
    }
  }
  if (stages.size() > 1)
    for (ShownStage& stage : stages) stage.heading = "Stage " + stage.stage;
  return stages;
}

std::string first_texts(const std::vector<std::string>& texts, std::size_t most) {
  if (texts.size() <= most) return joined(texts);
  return concat(joined(std::span(texts).first(most)), " and ", texts.size() - most, " more");
}

std::string band_note(const ReportData& data, const std::vector<std::size_t>& groups) {
  const bool several =
      std::any_of(groups.begin(), groups.end(), [&](std::size_t i) { return data.summaries[i].seeds > 1; });
  return several ? "A line is the mean over seeds; its band reaches from the lowest to the highest seed."
                 : "A line is one trial.";
}

std::string title_in(const GroupPanel& panel, const std::string& title) {
  constexpr std::size_t longest_title = 160;
  return shortened(panel.title.empty() ? title : title + ": " + panel.title, longest_title);
}

LineSeries line_of(const Band& band, std::string label) {
  BandLines lines = band.lines();
  if (band.seeds() < 2) lines.low = lines.high = {};
  return {std::move(label), std::move(lines.x), std::move(lines.mean), std::move(lines.low), std::move(lines.high)};
}

std::vector<LineSeries> lines_of_groups(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band) {
  std::vector<LineSeries> lines;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const Band* of_group = band(data.summaries[panel.groups[i]]);
    lines.push_back(of_group ? line_of(*of_group, panel.labels[i]) : LineSeries{panel.labels[i], {}, {}, {}, {}});
  }
  return lines;
}

namespace {

bool is_same(const MetricBand& a, const MetricBand& b) {
  return a.task == b.task && a.metric == b.metric;
}

}  // namespace

std::vector<const MetricBand*> changing_metrics(const ReportData& data, const std::vector<std::size_t>& groups) {
  std::vector<const MetricBand*> metrics;
  std::set<std::pair<std::string, std::string>> changing;
  for (const std::size_t i : groups) {
    for (const MetricBand& band : data.summaries[i].curves) {
      if (std::none_of(metrics.begin(), metrics.end(), [&](const MetricBand* known) { return is_same(*known, band); }))
        metrics.push_back(&band);
      const std::vector<double> values = band.band.lines().mean;
      if (std::any_of(values.begin(), values.end(),
                      [&](double value) { return std::isfinite(value) && value != values.front(); }))
        changing.emplace(band.task, band.metric);
    }
  }
  std::erase_if(metrics, [&](const MetricBand* band) { return !changing.contains({band->task, band->metric}); });
  return metrics;
}

PlotFigure curve_of_metric(const ReportData& data, const GroupPanel& panel, const MetricBand& metric) {
  LinePlot plot;
  plot.title = title_in(panel, metric_title(metric.metric, metric.task) + " by step");
  plot.x_label = "step";
  plot.y_label = axis_label(metric.metric, metric.unit);
  plot.percent = metric.unit == Unit::fraction;
  plot.series = lines_of_groups(data, panel, [&](const GroupSummary& summary) -> const Band* {
    for (const MetricBand& band : summary.curves)
      if (is_same(band, metric)) return &band.band;
    return nullptr;
  });
  return drawn(plot);
}

}  // namespace gausscse
