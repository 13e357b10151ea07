#include "experiments/report/sections/report_page.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/sections/report_sections.hpp"

namespace gausscse {

namespace {

constexpr std::string_view page_mark = "<meta name=\"generator\" content=\"gausscse report\"/>";

struct Section {
  const char *id, *name, *heading;  ///< name in the list of sections
  void (*add)(HtmlWriter&, const ReportContent&);
};

constexpr Section sections[] = {{"headline", "Headline", "Headline", add_headline},
                                {"summary", "Summary", "Summary", add_summary},
                                {"tables", "Tables", "Tables", add_tables},
                                {"grids", "Grids", "Grids", add_grids},
                                {"curves", "Learning curves", "Learning curves", add_learning_curves},
                                {"probabilities", "Probability", "Probability of entailment", add_probabilities},
                                {"geometry", "Token geometry", "Token geometry", add_geometry},
                                {"configuration", "Configuration", "Configuration and provenance", add_differences},
                                {"trials", "Trials", "Trials", add_trials}};

}  // namespace

std::string report_page(const ReportContent& content) {
  constexpr std::size_t longest_title = 200;
  HtmlWriter body;
  std::vector<const Section*> there;
  for (const Section& section : sections) {
    HtmlWriter added;
    section.add(added, content);
    const std::string html = added.take();
    if (html.empty()) continue;
    body.open("section", {{"id", section.id}}).element("h2", section.heading).markup(html).close();
    there.push_back(&section);
  }

  const std::string title = shortened(content.title.empty() ? content.study.study : content.title, longest_title);
  HtmlWriter page;
  page.markup("<!DOCTYPE html>\n").open("html", {{"lang", "en"}}).open("head");
  page.empty("meta", {{"charset", "utf-8"}}).markup(page_mark);
  page.empty("meta",
             {{"http-equiv", "Content-Security-Policy"},
              {"content", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}});
  page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.empty("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  page.element("title", title).open("style").markup("\n").markup(report_style()).close().close();
  page.open("body").open("header").element("h1", title);
  add_origin(page, content);
  page.open("nav", {{"aria-label", "sections"}}).open("ul");
  for (const Section* section : there)
    page.open("li").element("a", section->name, {{"href", std::string("#") + section->id}}).close();
  page.close().close().close();
  page.open("main").markup(body.take()).close().close().close();
  return page.take();
}

}  // namespace gausscse
