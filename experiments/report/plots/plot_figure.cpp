#include "experiments/report/plots/plot_figure.hpp"

#include "experiments/report/html/html_text.hpp"

namespace gausscse {

void add_plot_figure(HtmlWriter& page, const std::string& title, const std::string& svg,
                     const std::vector<LegendEntry>& legend) {
  constexpr std::size_t longest_label = 120;
  page.open("figure").element("figcaption", title).markup(svg);
  page.open("ul", {{"class", "legend"}});
  for (const LegendEntry& entry : legend) {
    page.open("li").markup(entry.swatch);
    page.element("span", shortened(entry.label, longest_label)).close();
  }
  page.close().close();
}

}  // namespace gausscse
