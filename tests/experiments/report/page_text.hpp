#pragma once

#include <cstddef>
#include <string>

namespace gausscse {

/// Returns the number of times that a part occurs in a text.
inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Returns the section of a page with this id.
inline std::string section_of(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find("<section id=\"" + id + "\">");
  if (begin == std::string::npos) return "no section " + id;
  return page.substr(begin, page.find("</section>", begin) - begin);
}

}  // namespace gausscse
