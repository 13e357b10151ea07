#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "data/corpus/nli_pair.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/plots.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

constexpr std::size_t most_bins_of_lengths = 64;

/// Returns the sources of each task, in the order of tasks.
std::vector<std::pair<std::string, const NliSource*>> sources_of_tasks(const ReportData& data) {
  std::vector<std::pair<std::string, const NliSource*>> sources;
  std::set<std::pair<std::string, NliSource>> known;
  for (std::size_t i = 0; i < data.groups.size(); ++i) {
    if (!data.shown[i]) continue;
    for (const NliSummary& nli : data.summaries[i].nli)
      if (nli.source && known.emplace(nli.task, *nli.source).second) sources.emplace_back(nli.task, &*nli.source);
  }
  return sources;
}

/// Returns why there are no texts, as a sentence; empty where there are.
std::string why_unknown(const ReportData& data, const NliSummary& nli) {
  const std::string begin = concat("Left out for ", nli.task, ": ");
  if (!nli.source) return begin + "the configuration does not name its file.";
  const NliTexts& texts = data.texts.at(*nli.source);
  if (!texts.problem.empty()) return begin + texts.problem + ".";
  if (texts.pairs != nli.pairs())
    return concat(begin, "its file has ", texts.pairs, " pairs, the result ", nli.pairs(), ".");
  return "";
}

void add_pairs(HtmlWriter& page, const std::string& caption, const std::vector<WrongPair>& pairs,
               const NliTexts& texts) {
  constexpr std::size_t longest_sentence = 600;
  if (pairs.empty()) return;
  open_table(page, {caption, caption, {"premise", "hypothesis", "gold label", "similarity", "pair"}, 2});
  for (const WrongPair& wrong : pairs) {
    const auto pair = texts.chosen.find(wrong.pair);
    if (pair == texts.chosen.end()) continue;
    page.open("tr");
    for (const std::string* sentence : {&pair->second.premise, &pair->second.hypothesis})
      page.open("td", {{"class", "words"}}).element("bdi", shortened(*sentence, longest_sentence)).close();
    page.element("td", pair->second.label == NliLabel::none ? "none" : nli_label_name(pair->second.label));
    page.element("td", decimal_text(wrong.similarity, 4)).element("td", std::to_string(wrong.pair + 1)).close();
  }
  close_table(page);
}

}  // namespace

void add_length_ratios(HtmlWriter& page, const ReportContent& content) {
  const auto sources = sources_of_tasks(content.data);
  if (sources.empty()) return;
  page.element("p",
               "ln(length of the premise / length of the hypothesis), lengths in characters; above 0 the premise is "
               "longer. Result files hold no sentences, so the tasks' files are read.");
  std::vector<std::string> left_out;
  std::vector<PlotFigure> figures;
  for (const auto& [task, source] : sources) {
    const NliTexts& texts = content.data.texts.at(*source);
    if (!texts.problem.empty()) {
      left_out.push_back(concat("Left out for ", task, ": ", texts.problem, "."));
      continue;
    }
    // One line explains itself.
    PlotFigure& figure = figures.emplace_back(drawn(HistogramPlot{
        concat(task, ": length ratio of ", texts.length_ratios.size(), " pairs"), "ln(premise / hypothesis)",
        over_same_bins({{"pairs", texts.length_ratios}}, most_bins_of_lengths)}));
    figure.legend.clear();
  }
  add_figures(page, figures);
  for (const std::string& sentence : left_out) page.element("p", sentence);
}

void add_worst_pairs(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  std::vector<std::string> left_out;
  HtmlWriter lists;
  bool any = false, any_texts = false;
  for (const ShownStage& stage : shown_stages(data)) {
    bool headed = false;
    for (const std::size_t i : stage.groups) {
      bool opened = false;
      for (const NliSummary& nli : data.summaries[i].nli) {
        if (nli.pairs() == 0) continue;
        any = true;
        if (const std::string why = why_unknown(data, nli); !why.empty()) {
          add_once(left_out, why);
          continue;
        }
        if (!headed) add_heading(lists, stage.heading);
        headed = true;
        if (!opened) open_details(lists, data.groups[i].label, !any_texts);
        opened = any_texts = true;
        const NliTexts& texts = data.texts.at(*nli.source);
        add_pairs(lists, nli.task + ": entailments of the lowest similarity", nli.missed(), texts);
        add_pairs(lists, nli.task + ": other pairs of the highest similarity", nli.mistaken(), texts);
      }
      if (opened) lists.close();
    }
  }
  if (!any) return;
  page.element("p",
               "Entailments of the lowest similarity and other pairs of the highest, in the state that was kept, by "
               "the mean over seeds.");
  page.markup(lists.take());
  for (const std::string& sentence : left_out) page.element("p", sentence);
}

}  // namespace gausscse
