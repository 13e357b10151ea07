#include "experiments/report/html/html_writer.hpp"

#include "base/error.hpp"
#include "experiments/report/html/html_text.hpp"

namespace gausscse {

void HtmlWriter::begin(std::string_view tag, Attributes attributes) {
  written_ += '<';
  written_ += tag;
  for (const auto& [name, value] : attributes) {
    written_ += ' ';
    written_ += name;
    written_ += "=\"";
    written_ += html_escaped(value);
    written_ += '"';
  }
}

HtmlWriter& HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  written_ += '>';
  open_.emplace_back(tag);
  return *this;
}

HtmlWriter& HtmlWriter::close() {
  GAUSSCSE_CHECK(!open_.empty(), "no element is open");
  written_ += "</" + open_.back() + ">";
  // A line for each block, for those who read the source.
  if (open_.back() != "span" && open_.back() != "strong" && open_.back() != "td" && open_.back() != "th")
    written_ += '\n';
  open_.pop_back();
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  written_ += html_escaped(text);
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view tag, std::string_view text, Attributes attributes) {
  open(tag, attributes);
  written_ += html_escaped(text);
  return close();
}

HtmlWriter& HtmlWriter::empty(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  written_ += "/>";
  return *this;
}

HtmlWriter& HtmlWriter::markup(std::string_view markup) {
  written_ += markup;
  return *this;
}

std::string HtmlWriter::take() {
  GAUSSCSE_CHECK(open_.empty(), "open elements: ", open_.size());
  return std::move(written_);
}

}  // namespace gausscse
