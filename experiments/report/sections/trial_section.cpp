#include <algorithm>
#include <map>
#include <set>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/metric_words.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

/// Returns "ent, con": the groups of the trials that have a value, or how many trials they are.
std::string who_has(const ReportData& data, const std::vector<std::size_t>& group_of,
                    const DifferingFact::Value& value) {
  constexpr std::size_t most_named = 6;
  std::vector<std::size_t> groups;
  std::map<std::size_t, std::size_t> trials_of;
  for (const std::size_t trial : value.trials)
    if (trials_of[group_of[trial]]++ == 0) groups.push_back(group_of[trial]);
  std::string count = counted(static_cast<std::int64_t>(value.trials.size()), "trial");
  if (groups.size() > most_named) return count;
  std::set<std::string> stages;
  for (const TrialGroup& group : data.groups) stages.insert(group.stage);
  std::string text;
  for (const std::size_t i : groups) {
    const TrialGroup& group = data.groups[i];
    text += text.empty() ? "" : "; ";
    text += stages.size() > 1 && group.label != group.stage ? group.stage + " " + group.label : group.label;
    if (trials_of[i] < group.trials.size()) text += concat(" (", trials_of[i], " of ", group.trials.size(), ")");
  }
  return concat(count, ": ", text);
}

void add_differing(HtmlWriter& page, const ReportData& data, const std::vector<std::size_t>& group_of,
                   const std::string& caption, const std::vector<DifferingFact>& differing) {
  constexpr std::size_t most_values = 8, longest_value = 300;
  if (differing.empty()) return;
  open_table(page, {caption, caption, {"key", "value", "trials"}, 0, "settings"});
  for (const DifferingFact& fact : differing) {
    const std::size_t shown = std::min(fact.values.size(), most_values);
    const bool more = fact.values.size() > shown;
    for (std::size_t i = 0; i < shown; ++i) {
      page.open("tr");
      if (i == 0)
        page.element("th", fact.name,
                     {{"scope", "rowgroup"}, {"class", "words"}, {"rowspan", std::to_string(shown + more)}});
      page.element("td", fact.values[i].absent ? "(not there)" : shortened(fact.values[i].text, longest_value),
                   {{"class", "words"}});
      page.element("td", who_has(data, group_of, fact.values[i]), {{"class", "words"}}).close();
    }
    if (more)
      page.open("tr")
          .element("td", concat("and ", fact.values.size() - shown, " more values"), {{"colspan", "2"}})
          .close();
  }
  close_table(page);
}

void add_common(HtmlWriter& page, const std::string& name, const Facts& facts) {
  if (facts.empty()) return;
  page.open("details").element("summary", concat(name, " (", facts.size(), ")"));
  add_facts_table(page, name, facts);
  page.close();
}

std::vector<std::size_t> groups_of_trials(const ReportContent& content) {
  std::vector<std::size_t> group_of(content.study.trials.size(), 0);
  for (std::size_t i = 0; i < content.data.groups.size(); ++i)
    for (const std::size_t trial : content.data.groups[i].trials) group_of[trial] = i;
  return group_of;
}

std::string metrics_text(const StateResult& state) {
  std::string text;
  for (const Measurement& task : state.tasks) {
    std::string of_task;
    for (const Metric& metric : task.metrics) {
      if (metric.name.find('.') != std::string::npos) continue;
      const std::string unit = metric.unit == Unit::fraction ? " %" : "";
      of_task += concat(of_task.empty() ? "" : ", ", metric_word(metric.name), " ",
                        metric_value_text(metric.value, metric.unit), unit);
    }
    text += concat(text.empty() ? "" : "; ", task.task, ": ", of_task);
  }
  return text;
}

void add_trial(HtmlWriter& page, const StudyTrial& trial, const Facts& settings, const Facts& provenance) {
  page.open("details", {{"class", "trial"}}).open("summary").text(title_of(trial.planned)).text(" ");
  const bool is_untrained = kept_untrained_state(trial), is_bad = is_untrained || trial.status == TrialStatus::failed;
  page.element("span", concat("(", name_of(trial.status), is_untrained ? ", untrained" : "", ")"),
               {{"class", is_bad                              ? "bad"
                          : trial.status == TrialStatus::done ? "good"
                                                              : "quiet"}});
  page.close();
  Facts facts{{"stage", trial.planned.stage}};
  for (const auto& [axis, label] : trial.planned.coordinates) facts.emplace_back(axis, label);
  facts.emplace_back("seed", std::to_string(trial.planned.seed));
  if (!trial.planned.identity.empty()) facts.emplace_back("identity", trial.planned.identity);
  if (trial.status == TrialStatus::done) {
    if (!trial.kept.state.empty())
      facts.emplace_back("kept state", concat(trial.kept.state, ", step ", trial.kept.step));
    facts.emplace_back("metrics", metrics_text(trial.kept));
  }
  add_facts_table(page, "Trial", facts);
  if (!settings.empty()) add_facts_table(page, "Configuration, where trials differ", settings);
  if (!provenance.empty()) add_facts_table(page, "Provenance, where trials differ", provenance);
  page.close();
}

}  // namespace

void add_differences(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const ComparedFacts settings = compare_facts(data.settings), provenance = compare_facts(data.provenance);
  if (settings.common.empty() && settings.differing.empty()) return;
  const std::vector<std::size_t> group_of = groups_of_trials(content);
  page.element("h3", "Differences between trials");
  if (settings.differing.empty() && provenance.differing.empty()) page.element("p", "Nothing.");
  add_differing(page, data, group_of, "Configuration", settings.differing);
  add_differing(page, data, group_of, "Provenance", provenance.differing);
  page.element("h3", "Common to all trials");
  add_common(page, "Configuration", settings.common);
  add_common(page, "Provenance", provenance.common);
}

void add_trials(HtmlWriter& page, const ReportContent& content) {
  if (content.study.trials.empty()) return;
  const ReportData& data = content.data;
  const ComparedFacts settings = compare_facts(data.settings), provenance = compare_facts(data.provenance);
  page.element("p", "Each trial's metrics, and what differs between trials in configuration and provenance.");
  for (std::size_t i = 0; i < content.study.trials.size(); ++i)
    add_trial(page, content.study.trials[i], own_facts(settings, i), own_facts(provenance, i));
}

}  // namespace gausscse
