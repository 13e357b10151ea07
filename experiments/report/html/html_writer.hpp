#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// Returns `text` as it may stand in an element and in an attribute between double quotes, of HTML, SVG and XML alike:
/// nothing in it is markup. Bytes that are not UTF-8 become U+FFFD; control characters but tab and line break, and
/// characters that change the direction of writing, become their numbers, such as "[U+202E]".
std::string html_escaped(std::string_view text);

/// Returns the first `limit` code points of `text`, with an ellipsis in place of the rest. Bytes that are not UTF-8
/// count one by one.
std::string shortened(std::string_view text, std::size_t limit);

/// Writer of elements of HTML and SVG, well-formed as XML, too. Tags and names of attributes are the program's own
/// words; all else is escaped.
class HtmlWriter {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  HtmlWriter& open(std::string_view tag, Attributes attributes = {});
  /// Closes the innermost element that is open.
  HtmlWriter& close();
  HtmlWriter& text(std::string_view text);
  /// Adds an element with nothing but text.
  HtmlWriter& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  /// Adds an element with nothing in it.
  HtmlWriter& empty(std::string_view tag, Attributes attributes = {});
  /// Adds markup of another writer, or of the program itself.
  HtmlWriter& markup(std::string_view markup);

  /// Returns the markup so far. Throws std::logic_error where an element is still open.
  std::string take();

 private:
  void begin(std::string_view tag, Attributes attributes);

  std::string written_;
  std::vector<std::string> open_;
};

/// Returns the page's style sheet, style.css, which the build compiles in. It needs nothing from elsewhere: fonts are
/// those of the reader's system. Colours of series are Okabe's and Ito's, darkened on white and lightened on black.
std::string_view report_style();

}  // namespace gausscse
