#include "experiments/report/sections/section_parts.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/html_writer.hpp"

namespace gausscse {

void open_section(HtmlWriter& page, std::string_view id, std::string_view heading) {
  page.open("section", {{"id", std::string(id)}}).element("h2", heading);
}

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

void add_facts_table(HtmlWriter& page, const std::string& caption, const Facts& facts) {
  constexpr std::size_t longest_value = 4000;
  open_scroll(page, caption);
  page.open("table", {{"class", "settings"}}).element("caption", caption).open("tbody");
  for (const auto& [name, value] : facts) {
    page.open("tr").element("th", name, {{"scope", "row"}});
    page.element("td", shortened(value, longest_value), {{"class", "words"}}).close();
  }
  page.close().close().close();
}

std::vector<ShownStage> shown_stages(const ReportData& data) {
  std::vector<ShownStage> stages;
  for (std::size_t i = 0; i < data.groups.size(); ++i) {
    if (data.summaries[i].seeds == 0) continue;
    auto stage = std::find_if(stages.begin(), stages.end(),
                              [&](const ShownStage& known) { return known.stage == data.groups[i].stage; });
    if (stage == stages.end()) stage = stages.insert(stages.end(), ShownStage{data.groups[i].stage, {}, 0});
    if (data.shown[i]) {
      stage->groups.push_back(i);
    } else {
      ++stage->left_out;
    }
  }
  return stages;
}

void add_left_out(HtmlWriter& page, const ShownStage& stage) {
  if (stage.left_out == 0) return;
  page.element(
      "p",
      concat("Not drawn, to keep the page small: ", stage.left_out, " more settings of the stage ", stage.stage, "."),
      {{"class", "quiet"}});
}

std::string heading_of(const ShownStage& stage, std::size_t stages) {
  return stages > 1 ? "Stage " + stage.stage : "";
}

std::string figure_word(const std::string& figure) {
  if (figure == "auprc") return "AUPRC";
  if (figure == "direction_sim") return "direction by similarity";
  if (figure == "direction_var") return "direction by variance";
  if (figure == "direction_length") return "direction by length";
  if (figure == "spearman") return "Spearman";
  std::string words = figure;
  for (const std::string_view joined : {"self_similarity", "intra_sentence"})
    if (const std::size_t at = words.find(joined); at != std::string::npos) words[at + joined.find('_')] = '-';
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string axis_word(const std::string& axis) {
  const std::size_t dot = axis.rfind('.');
  std::string word = dot == std::string::npos || dot + 1 == axis.size() ? axis : axis.substr(dot + 1);
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::string figure_title(const std::string& figure, const std::string& task) {
  return figure_word(figure) + " of " + task;
}

std::string axis_label(const std::string& figure, Unit unit) {
  return figure_word(figure) + (unit == Unit::fraction ? ", %" : "");
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
  LineSeries line{std::move(label), band.x, band.mean, {}, {}};
  if (band.seeds > 1) {
    line.low = band.low;
    line.high = band.high;
  }
  return line;
}

std::vector<LineSeries> lines_of_groups(const ReportData& data, const GroupPanel& panel, const BandOfGroup& band) {
  std::vector<LineSeries> lines;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    const Band* of_group = band(data.summaries[panel.groups[i]]);
    lines.push_back(of_group ? line_of(*of_group, panel.labels[i]) : LineSeries{panel.labels[i], {}, {}, {}, {}});
  }
  return lines;
}

std::vector<const FigureBand*> changing_figures(const ReportData& data, const std::vector<std::size_t>& groups) {
  std::vector<const FigureBand*> figures;
  std::vector<bool> changes;
  for (const std::size_t i : groups) {
    for (const FigureBand& band : data.summaries[i].curves) {
      auto known = std::find_if(figures.begin(), figures.end(), [&](const FigureBand* figure) {
        return figure->task == band.task && figure->figure == band.figure;
      });
      const auto at = static_cast<std::size_t>(known - figures.begin());
      if (known == figures.end()) {
        figures.push_back(&band);
        changes.push_back(false);
      }
      for (const double value : band.band.mean)
        if (std::isfinite(value) && value != band.band.mean.front()) changes[at] = true;
    }
  }
  std::vector<const FigureBand*> changing;
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (changes[i]) changing.push_back(figures[i]);
  return changing;
}

void add_curve_of_figure(HtmlWriter& page, const ReportData& data, const GroupPanel& panel, const FigureBand& figure) {
  LinePlot plot;
  plot.title = title_in(panel, figure_title(figure.figure, figure.task) + " by step");
  plot.x_label = "step";
  plot.y_label = axis_label(figure.figure, figure.unit);
  plot.percent = figure.unit == Unit::fraction;
  plot.series = lines_of_groups(data, panel, [&](const GroupSummary& summary) -> const Band* {
    for (const FigureBand& band : summary.curves)
      if (band.task == figure.task && band.figure == figure.figure) return &band.band;
    return nullptr;
  });
  add_figure(page, plot);
}

bool is_of_kind(const ReportData& data, const std::string& task, std::string_view kind) {
  for (const GroupSummary& summary : data.summaries)
    for (const MeanFigure& mean : summary.figures)
      if (mean.task == task) return mean.kind == kind;
  return false;
}

}  // namespace gausscse
