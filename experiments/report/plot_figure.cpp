#include "experiments/report/plot_figure.hpp"

#include "experiments/report/html_text.hpp"
#include "experiments/report/svg_plot.hpp"

namespace gausscse {

void add_plot_figure(HtmlWriter& page, const std::string& title, const std::string& svg,
                     const std::vector<std::string>& labels, bool with_markers) {
  constexpr std::size_t longest_label = 120;
  page.open("figure").element("figcaption", title).markup(svg);
  page.open("ul", {{"class", "legend"}});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    page.open("li").markup(legend_swatch(i, with_markers));
    page.element("span", shortened(labels[i], longest_label)).close();
  }
  page.close().close();
}

}  // namespace gausscse
