#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

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
  /// Adds what another writer made, or the program's own markup.
  HtmlWriter& markup(std::string_view markup);

  /// Returns what was written. Throws std::logic_error where an element is still open.
  std::string take();

 private:
  void begin(std::string_view tag, Attributes attributes);

  std::string written_;
  std::vector<std::string> open_;
};

}  // namespace gausscse
