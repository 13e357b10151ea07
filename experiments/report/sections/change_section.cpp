#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"

namespace gausscse {

namespace {

constexpr std::size_t changes_shown = 10;
/// The first number of tokens that two settings are compared over.
constexpr std::size_t least_compared = 4;

void add_change_table(HtmlWriter& page, const std::string& caption, const std::vector<TokenChange>& tokens) {
  constexpr std::size_t longest_token = 60;
  open_table(page, {caption, caption, {"token", "occurrences", "before", "after", "change"}});
  for (const TokenChange& token : tokens) {
    page.open("tr").open("th", {{"scope", "row"}});
    page.element("bdi", shortened(token.token, longest_token)).close();
    page.element("td", std::to_string(token.occurrences));
    for (const double value : {token.before, token.after, token.change}) page.element("td", decimal_text(value, 3));
    page.close();
  }
  close_table(page);
}

void add_changes_of_group(HtmlWriter& page, const SelfSimilarityChange& changes) {
  add_quiet(page, concat(changes.tokens.size(), " of the most frequent tokens are compared, ", changes.left_out,
                         " left out."));
  std::vector<TokenChange> sorted = changes.tokens;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TokenChange& a, const TokenChange& b) { return a.change < b.change; });
  const auto shown = static_cast<std::ptrdiff_t>(std::min(changes_shown, sorted.size()));
  open_figures(page, "figures wide");
  add_change_table(page, "The lowest changes", {sorted.begin(), sorted.begin() + shown});
  add_change_table(page, "The highest changes", {sorted.rbegin(), sorted.rbegin() + shown});
  page.close();
}

/// A group's changes next to those of the first of its panel.
struct ComparedChanges {
  std::string label;
  std::vector<double> correlations;  ///< over the first `least_compared` tokens, one more, ...
};

std::vector<ComparedChanges> compared_with_first(const ReportData& data, const GroupPanel& panel,
                                                 const std::string& task) {
  std::vector<ComparedChanges> compared;
  const SelfSimilarityChange first = geometry_of(data, panel.groups[0], task).mean_changes();
  for (std::size_t i = 1; i < panel.groups.size(); ++i) {
    const SelfSimilarityChange other = geometry_of(data, panel.groups[i], task).mean_changes();
    compared.push_back(
        {panel.labels[i], pearson_by_count(first.tokens, other.tokens, least_compared, GeometrySummary::frequent)});
  }
  return compared;
}

void add_correlation_plot(HtmlWriter& page, const GroupPanel& panel, const std::vector<ComparedChanges>& compared) {
  LinePlot plot;
  plot.title = title_in(panel, concat("Correlation with the changes of ", panel.labels[0]));
  plot.x_label = "most frequent tokens";
  plot.y_label = "Pearson's r";
  for (const ComparedChanges& other : compared) {
    LineSeries& line = plot.series.emplace_back(LineSeries{other.label, {}, other.correlations, {}, {}});
    for (std::size_t i = 0; i < line.y.size(); ++i) line.x.push_back(static_cast<double>(least_compared + i));
  }
  add_figure(page, drawn(plot));
}

/// Returns the number of tokens with the highest correlation; nothing where none exists.
std::optional<std::size_t> highest_of(const std::vector<double>& correlations) {
  std::optional<std::size_t> highest;
  for (std::size_t i = 0; i < correlations.size(); ++i)
    if (std::isfinite(correlations[i]) && (!highest || correlations[i] > correlations[*highest])) highest = i;
  return highest;
}

void add_correlation_table(HtmlWriter& page, const GroupPanel& panel, const std::vector<ComparedChanges>& compared) {
  const std::string caption = title_in(panel, concat("Correlation with the changes of ", panel.labels[0]));
  open_table(page, {caption, caption, {"setting", "highest", "over the first", "over all", "tokens"}});
  for (const ComparedChanges& other : compared) {
    const std::vector<double>& all = other.correlations;
    const std::optional<std::size_t> highest = highest_of(all);
    add_row(page, other.label,
            {highest ? decimal_text(all[*highest], 3) : "-", highest ? std::to_string(least_compared + *highest) : "-",
             all.empty() ? "-" : decimal_text(all.back(), 3),
             all.empty() ? "-" : std::to_string(least_compared + all.size() - 1)});
  }
  close_table(page);
}

void add_correlations(HtmlWriter& page, const ReportData& data, const ShownStage& stage) {
  const std::vector<GroupPanel> panels = panels_of(data.groups, stage.groups, most_lines);
  for (const GroupPanel& panel : panels) {
    const std::vector<ComparedChanges> compared = compared_with_first(data, panel, stage.task);
    if (std::none_of(compared.begin(), compared.end(), [](const auto& c) { return !c.correlations.empty(); })) continue;
    open_figures(page, "figures wide");
    add_correlation_plot(page, panel, compared);
    add_correlation_table(page, panel, compared);
    page.close();
  }
}

}  // namespace

void add_self_similarity_change(HtmlWriter& page, const ReportContent& content) {
  const ReportData& data = content.data;
  const std::vector<ShownStage> stages =
      geometry_stages(data, [](const GeometrySummary& summary) { return !summary.mean_changes().tokens.empty(); });
  if (stages.empty()) return;
  page.element("p",
               concat("Self-similarity of a token in different sentences, in the last layer, minus the anisotropy of "
                      "the state; after training minus before, for the ",
                      GeometrySummary::frequent,
                      " most frequent tokens (table 2); means over seeds. The correlation over the most frequent "
                      "tokens, without special ones, shows whether two settings change tokens alike (figure 24)."));
  bool first = true;
  for (const ShownStage& stage : stages) {
    add_heading(page, stage.heading);
    for (const std::size_t i : stage.groups) {
      open_details(page, data.groups[i].label, first);
      first = false;
      add_changes_of_group(page, geometry_of(data, i, stage.task).mean_changes());
      page.close();
    }
    add_correlations(page, data, stage);
  }
}

}  // namespace gausscse
