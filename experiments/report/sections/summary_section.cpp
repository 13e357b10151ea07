#include <algorithm>
#include <map>
#include <set>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

void add_fact(HtmlWriter& page, std::string_view name, std::string_view value) {
  page.open("div").element("dt", name).element("dd", value).close();
}

std::string counts_text(const std::vector<StudyTrial>& trials) {
  std::string text;
  for (const auto& [status, name] : names<TrialStatus>) {
    const auto count = std::count_if(trials.begin(), trials.end(),
                                     [&, wanted = status](const StudyTrial& t) { return t.status == wanted; });
    if (count > 0) text += concat(text.empty() ? "" : ", ", count, " ", name);
  }
  return text.empty() ? "none" : text;
}

/// Returns the done trials, each once, also where two stages share a trial.
std::vector<const StudyTrial*> distinct_done(const std::vector<StudyTrial>& trials) {
  std::vector<const StudyTrial*> done;
  std::set<std::string> known;
  for (const StudyTrial& trial : trials)
    if (trial.status == TrialStatus::done && trial.run &&
        (trial.planned.identity.empty() || known.insert(trial.planned.identity).second))
      done.push_back(&trial);
  return done;
}

void add_totals(HtmlWriter& page, const std::vector<StudyTrial>& trials) {
  double seconds = 0, core_seconds = 0;
  std::uint64_t disk = 0;
  std::set<std::string> hosts;
  for (const StudyTrial* trial : distinct_done(trials)) {
    seconds += trial->run->seconds;
    core_seconds += trial->run->seconds * static_cast<double>(trial->run->ranks * trial->run->threads);
    disk += trial->run->disk_bytes;
    hosts.insert(trial->run->hosts.begin(), trial->run->hosts.end());
  }
  add_fact(page, "time of done trials", duration_text(seconds));
  add_fact(page, "core time", duration_text(core_seconds));
  add_fact(page, "disk", bytes_text(disk));
  constexpr std::size_t most_hosts = 12;
  if (!hosts.empty())
    add_fact(page, hosts.size() == 1 ? "host" : "hosts", first_texts({hosts.begin(), hosts.end()}, most_hosts));
}

void add_failures(HtmlWriter& page, const std::vector<StudyTrial>& trials) {
  constexpr std::size_t most_failures = 200, longest_text = 2000, most_log_lines = 40;
  std::size_t failed = 0;
  for (const StudyTrial& trial : trials) failed += trial.status == TrialStatus::failed && trial.failure;
  if (failed == 0) return;
  page.element("h3", "Failed trials");
  if (failed > most_failures) page.element("p", concat("The first ", most_failures, " of ", failed, "."));
  std::size_t shown = 0;
  for (const StudyTrial& trial : trials) {
    if (trial.status != TrialStatus::failed || !trial.failure || shown++ >= most_failures) continue;
    const FailureRecord& failure = *trial.failure;
    page.open("details", {{"class", "trial"}}).open("summary");
    page.element("strong", title_of(trial.planned)).text(": ").text(shortened(failure.reason, longest_text));
    if (!failure.error.empty()) page.text("; ").text(shortened(failure.error, longest_text));
    page.close();
    page.element("p", concat(failure.attempts, failure.attempts == 1 ? " start, " : " starts, ",
                             duration_text(failure.seconds), ", on ", failure.host, ", ended ", failure.ended, "."));
    if (!failure.lines.empty()) {
      std::string log;
      const std::size_t first = failure.lines.size() > most_log_lines ? failure.lines.size() - most_log_lines : 0;
      for (std::size_t i = first; i < failure.lines.size(); ++i)
        log += shortened(failure.lines[i], longest_text) + "\n";
      page.element("pre", log, {{"tabindex", "0"}, {"aria-label", "last lines of its log"}});
    }
    page.close();
  }
}

void add_sentences(HtmlWriter& page, const std::string& heading, const std::vector<std::string>& sentences) {
  constexpr std::size_t most_sentences = 100;
  if (sentences.empty()) return;
  page.element("h3", heading).open("ul", {{"class", "plain"}});
  for (std::size_t i = 0; i < std::min(sentences.size(), most_sentences); ++i) page.element("li", sentences[i]);
  if (sentences.size() > most_sentences) page.element("li", concat("and ", sentences.size() - most_sentences, " more"));
  page.close();
}

/// Returns the trials that are in the way of something, and the ones that are waited for.
std::vector<std::string> unfinished_of(const std::vector<StudyTrial>& trials) {
  std::vector<std::string> sentences;
  for (const StudyTrial& trial : trials) {
    const std::string title = title_of(trial.planned);
    if (trial.status == TrialStatus::damaged)
      sentences.push_back(title + ": done, but its files have changed since: " + trial.problem);
    if (trial.status == TrialStatus::interrupted) sentences.push_back(title + ": started, but not finished");
    if (trial.status == TrialStatus::running) sentences.push_back(title + ": running");
    if (trial.status == TrialStatus::waiting)
      sentences.push_back(title + ": waits for " +
                          (trial.planned.waits_for.empty() ? "an earlier stage" : trial.planned.waits_for));
  }
  return sentences;
}

}  // namespace

void add_summary(HtmlWriter& page, const ReportContent& content) {
  const std::vector<StudyTrial>& trials = content.study.trials;
  page.open("dl", {{"class", "facts"}});
  add_fact(page, "study", shortened(content.study.study, 120));
  add_fact(page, trials.size() == 1 ? "trial" : "trials", std::to_string(trials.size()));
  add_fact(page, "status", counts_text(trials));
  const auto untrained =
      std::count_if(trials.begin(), trials.end(), [](const StudyTrial& trial) { return kept_untrained_state(trial); });
  if (untrained > 0) add_fact(page, "untrained", concat(untrained, " of the done"));
  add_totals(page, trials);
  page.close();
  add_failures(page, trials);
  add_sentences(page, "Unfinished trials", unfinished_of(trials));
  std::vector<std::string> notes = content.notes;
  notes.insert(notes.end(), content.data.problems.begin(), content.data.problems.end());
  add_sentences(page, "Missing from this page", notes);
}

}  // namespace gausscse
