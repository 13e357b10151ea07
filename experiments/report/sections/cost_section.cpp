#include <algorithm>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

std::string joined_hosts(const std::vector<std::string>& hosts) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(hosts.size(), most); ++i) text += (text.empty() ? "" : ", ") + hosts[i];
  return hosts.size() > most ? concat(text, " and ", hosts.size() - most, " more") : text;
}

void add_row(HtmlWriter& page, const StudyTrial& trial) {
  const RunRecord& run = *trial.run;
  page.open("tr").element("th", title_of(trial.planned), {{"scope", "row"}});
  page.element("td", duration_text(run.seconds)).element("td", std::to_string(run.attempts));
  page.element("td", std::to_string(run.steps));
  page.element("td", run.steps > 0 ? short_number(1000 * run.step_seconds / static_cast<double>(run.steps)) : "-");
  page.element("td", concat(run.ranks, " \xC3\x97 ", run.threads));
  page.element("td", duration_text(run.seconds * static_cast<double>(run.ranks * run.threads)));
  page.element("td", bytes_text(run.peak_memory_bytes)).element("td", bytes_text(run.disk_bytes));
  page.element("td", joined_hosts(run.hosts), {{"class", "words"}}).element("td", run.ended).close();
}

}  // namespace

bool add_costs(HtmlWriter& page, const ReportContent& content) {
  const std::vector<StudyTrial>& trials = content.study.trials;
  const auto done = std::count_if(trials.begin(), trials.end(), [](const StudyTrial& t) { return t.run.has_value(); });
  if (done == 0) return false;
  constexpr std::ptrdiff_t most_open = 60;
  open_section(page, "costs", "Time and cost");
  if (done > most_open) page.open("details").element("summary", concat("All ", done, " done trials"));
  open_scroll(page, "Time and cost of each trial");
  page.open("table").open("thead").open("tr").element("th", "trial", {{"scope", "col"}, {"class", "words"}});
  for (const char* heading : {"time", "starts", "steps", "ms a step", "ranks \xC3\x97 threads", "time of all threads",
                              "peak memory", "disk", "hosts", "ended"})
    page.element("th", heading, {{"scope", "col"}});
  page.close().close().open("tbody");
  for (const StudyTrial& trial : trials)
    if (trial.run) add_row(page, trial);
  page.close().close().close();
  if (done > most_open) page.close();
  page.close();
  return true;
}

}  // namespace gausscse
