#include <algorithm>
#include <map>
#include <set>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/heat_map.hpp"
#include "experiments/report/sections/metric_words.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/compare_cells.hpp"

namespace gausscse {

namespace {

constexpr std::size_t most_named_trials = 6, longest_label_of_headline = 160, longest_reason = 200;

/// Returns "12.34 %", or a number without a sign.
std::string value_with_sign(const TableCell& cell) {
  return cell.unit == Unit::fraction ? cell.text + " %" : cell.text;
}

/// Returns the origin of an interval: "Student's t over 5 trials".
std::string origin_of_interval(const HeadlineMetric& metric) {
  switch (metric.interval) {
    case setting::CellInterval::none:
      return "-";
    case setting::CellInterval::t:
      return concat("Student's t over ", metric.cell.count, " trials");
    case setting::CellInterval::wilson:
      return "Wilson's, over items";
    case setting::CellInterval::bootstrap:
      return "bootstrap over items";
  }
  return "-";
}

std::string ends_of_interval(const HeadlineMetric& metric) {
  if (!metric.cell.low) return "-";
  double low = *metric.cell.low, high = *metric.cell.high;
  if (metric.cell.unit == Unit::fraction) {
    // A correlation can be negative, a share cannot.
    low = std::max(low, metric.name.find("spearman") == std::string::npos ? 0.0 : -1.0);
    high = std::min(high, 1.0);
  }
  return concat(metric_value_text(low, metric.cell.unit), " to ", metric_value_text(high, metric.cell.unit));
}

/// Returns "95% interval 71.20 to 74.46, Student's t over 5 trials", or nothing.
std::string interval_in_words(const HeadlineMetric& metric) {
  if (metric.interval == setting::CellInterval::none) return "";
  return concat(" (95% interval ", ends_of_interval(metric), ", ", origin_of_interval(metric), ")");
}

bool is_backbone_better(const HeadlineMetric& metric) {
  return printed_number(metric.cell.backbone) > printed_number(metric.cell.text);
}

/// Adds the value of the setting's backbone, where there is one.
void add_backbone(HtmlWriter& page, const HeadlineMetric& metric) {
  if (metric.cell.backbone.empty()) return;
  page.text(is_backbone_better(metric) ? ", less than its backbone without training: " : "; backbone ")
      .element("strong", metric.cell.backbone + (metric.cell.unit == Unit::fraction ? " %" : ""));
}

/// Adds the distance to the next setting, and whether that is more than chance.
void add_runner_up(HtmlWriter& page, const RunnerUp& second, Unit unit) {
  page.text(concat("; the next one, ", shortened(second.label, longest_label_of_headline), ", is ",
                   metric_value_text(second.difference, unit), unit == Unit::fraction ? " points" : "", " behind, "));
  if (!second.p)
    page.text("which one seed cannot tell from chance");
  else
    page.text(concat(*second.p < significance_level ? "a significant difference" : "no significant difference",
                     " (p = ", short_number(*second.p), ")"));
}

/// Adds the sentence that a reader takes along.
void add_best_setting(HtmlWriter& page, const Headline& headline) {
  const HeadlineMetric& metric = headline.metrics.front();
  const std::string title = metric_title(metric.name), best = shortened(headline.best[0], longest_label_of_headline);
  const std::string others = concat(headline.settings, " settings of the stage ", headline.stage);
  page.open("p", {{"class", headline.untrained > 0 || is_backbone_better(metric) ? "lead bad" : "lead"}});
  if (headline.untrained > 0)
    page.text(concat("Training did not give the highest ", title, ": "));
  else if (headline.settings == 1)
    page.text("The only setting, ").element("strong", best).text(concat(", has the ", title, " "));
  else if (headline.best.size() == headline.settings)
    page.text(concat("All ", others, " print the same ", title, ": "));
  else if (headline.best.size() > 1)
    page.text(concat(headline.best.size(), " of ", others, " share the highest ", title, ", among them "))
        .element("strong", best)
        .text(": ");
  else
    page.text("Best setting: ").element("strong", best).text(concat(", of ", others, ", by ", title, ": "));
  page.element("strong", value_with_sign(metric.cell)).text(interval_in_words(metric));
  if (headline.untrained > 0)
    page.text(" is the mean of ")
        .element("strong", best)
        .text(concat(", of which ", headline.untrained, " of ", counted(headline.trials, "trial"),
                     " kept the state before the first step"));
  add_backbone(page, metric);
  if (headline.second && headline.untrained == 0) add_runner_up(page, *headline.second, metric.cell.unit);
  page.text(".").close();
}

void add_metrics(HtmlWriter& page, const Headline& headline) {
  const std::string caption = concat("Metrics of ", shortened(headline.best[0], longest_label_of_headline),
                                     headline.trials > 1 ? concat(", mean over ", headline.trials, " trials") : "");
  open_table(page, {caption, caption, {"metric", "value", "backbone", "95% interval", "interval by"}});
  for (const HeadlineMetric& metric : headline.metrics)
    add_row(page, metric_title(metric.name) + (metric.cell.unit == Unit::fraction ? ", %" : ""),
            {metric.cell.text + (metric.cell.untrained > 0 ? untrained_mark_of_page : ""),
             metric.cell.backbone.empty() ? "-" : metric.cell.backbone, ends_of_interval(metric),
             origin_of_interval(metric)});
  close_table(page);
  page.open("ul", {{"class", "plain quiet"}});
  std::set<std::string> known;
  for (const HeadlineMetric& metric : headline.metrics) {
    const std::string own = metric.name.substr(metric.name.rfind('.') + 1), meaning = metric_meaning(own);
    if (!meaning.empty() && known.insert(own).second) page.element("li", concat(metric_word(own), ": ", meaning, "."));
  }
  if (!headline.baselines.empty()) page.element("li", headline.baselines);
  if (headline.settings > headline.best.size() && headline.untrained == 0)
    page.element(
        "li",
        "The best of several settings is chosen by the first metric, so its value, its interval and its lead are a "
        "little too high.");
  page.close();
}

/// Returns the titles of the trials for which `is_it` holds.
template <typename IsIt>
std::vector<std::string> titles_where(const std::vector<StudyTrial>& trials, const IsIt& is_it) {
  std::vector<std::string> titles;
  for (const StudyTrial& trial : trials)
    if (is_it(trial)) titles.push_back(shortened(title_of(trial.planned), longest_label_of_headline));
  return titles;
}

void add_point(HtmlWriter& page, const char* name, const std::string& text, bool is_bad) {
  page.open("li").element("strong", name, {{"class", is_bad ? "bad" : "good"}}).text(concat(" ", text)).close();
}

void add_failed(HtmlWriter& page, const std::vector<StudyTrial>& trials) {
  const std::vector<std::string> failed =
      titles_where(trials, [](const StudyTrial& trial) { return trial.status == TrialStatus::failed; });
  if (failed.empty()) return add_point(page, "Failed:", "none.", false);
  const auto first =
      std::find_if(trials.begin(), trials.end(), [](const auto& t) { return t.status == TrialStatus::failed; });
  std::string cause;
  if (first->failure)
    cause = concat(
        " Cause of the first: ",
        shortened(first->failure->error.empty() ? first->failure->reason : first->failure->error, longest_reason), ".");
  add_point(page, "Failed:",
            concat(failed.size(), " of ", counted(static_cast<std::int64_t>(trials.size()), "trial"), ": ",
                   first_texts(failed, most_named_trials), ".", cause),
            true);
}

void add_untrained(HtmlWriter& page, const std::vector<StudyTrial>& trials) {
  const auto done =
      std::count_if(trials.begin(), trials.end(), [](const auto& t) { return t.status == TrialStatus::done; });
  const std::vector<std::string> untrained =
      titles_where(trials, [](const StudyTrial& trial) { return kept_untrained_state(trial); });
  if (untrained.empty()) return add_point(page, "Untrained:", "none.", false);
  add_point(
      page, "Untrained:",
      concat(untrained.size(), " of ", counted(done, "done trial"),
             " kept the state before the first step, as no later state was better",
             static_cast<std::ptrdiff_t>(untrained.size()) < done ? ": " + first_texts(untrained, most_named_trials)
                                                                  : std::string(),
             ". Tables mark their metrics with ", untrained_mark_of_page, "."),
      true);
}

void add_not_done(HtmlWriter& page, const std::vector<StudyTrial>& trials) {
  std::vector<std::string> counts;
  for (const auto& [status, name] : names<TrialStatus>) {
    const auto count =
        std::count_if(trials.begin(), trials.end(), [wanted = status](const auto& t) { return t.status == wanted; });
    if (count > 0 && status != TrialStatus::done && status != TrialStatus::failed)
      counts.push_back(concat(count, " ", name));
  }
  if (!counts.empty())
    add_point(page, "Not done:",
              concat(joined(counts), ", of ", counted(static_cast<std::int64_t>(trials.size()), "trial"), "."), true);
}

/// Returns the first twelve digits of a commit's hash, and the text behind the hash; any other text as it is.
std::string short_commit(const std::string& commit) {
  constexpr std::size_t length = 40, shown = 12;
  const std::size_t digits = std::min(commit.find_first_not_of("0123456789abcdef"), commit.size());
  return digits == length ? commit.substr(0, shown) + commit.substr(length) : commit;
}

}  // namespace

void add_origin(HtmlWriter& page, const ReportContent& content) {
  std::vector<std::string> parts;
  for (const auto& [name, plural_name] : {std::pair{"version", "versions"}, {"commit", "commits"}}) {
    std::vector<std::string> values;
    for (const Facts& facts : content.data.provenance)
      for (const auto& [fact, value] : facts)
        if (fact == name && !value.empty()) add_once(values, short_commit(value));
    if (!values.empty())
      parts.push_back(concat(values.size() == 1 ? name : plural_name, " ", first_texts(values, most_named_trials)));
  }
  std::set<std::string> days;
  for (const StudyTrial& trial : content.study.trials)
    if (trial.status == TrialStatus::done && trial.run && !trial.run->ended.empty())
      days.insert(trial.run->ended.substr(0, trial.run->ended.find('T')));
  if (!days.empty())
    parts.push_back(concat("trials ended ", days.size() > 1 ? concat("from ", *days.begin(), " to ") : "on ",
                           *days.rbegin(), " (UTC)"));
  if (!parts.empty()) add_quiet(page, concat("Results of gausscse: ", joined(parts), "."));
}

void add_headline(HtmlWriter& page, const ReportContent& content) {
  const std::vector<StudyTrial>& trials = content.study.trials;
  if (trials.empty()) return;
  if (content.headline && !content.headline->metrics.empty()) {
    add_best_setting(page, *content.headline);
  } else {
    const bool is_any_done =
        std::any_of(trials.begin(), trials.end(), [](const auto& t) { return t.status == TrialStatus::done; });
    page.element("p",
                 is_any_done ? "No metric decides which setting is the best: none is a share or a correlation."
                             : "No trial is done yet.",
                 {{"class", "lead"}});
  }
  page.open("ul", {{"class", "plain"}});
  add_failed(page, trials);
  add_untrained(page, trials);
  add_not_done(page, trials);
  page.close();
  if (content.headline && !content.headline->metrics.empty()) add_metrics(page, *content.headline);
}

}  // namespace gausscse
