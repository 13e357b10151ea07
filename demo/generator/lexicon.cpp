#include "demo/generator/lexicon.hpp"

#include <algorithm>
#include <map>

namespace gausscse::lexicon {

namespace {

/// Returns the parts of a text between separators, without blanks around them; none of a blank text.
Words parts_of(std::string_view whole, char separator) {
  Words parts;
  while (whole.find_first_not_of(' ') != std::string_view::npos) {
    const std::string_view part = whole.substr(0, whole.find(separator));
    const std::size_t begin = std::min(part.find_first_not_of(' '), part.size());
    parts.push_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
    whole.remove_prefix(std::min(part.size() + 1, whole.size()));
  }
  return parts;
}

}  // namespace

const std::vector<Entry>& table(std::string_view name) {
  static const auto all = [] {
    std::map<std::string_view, std::vector<Entry>> tables;
    for (const std::string_view line : parts_of(text(), '\n')) {
      if (line.empty() || line.starts_with('#')) continue;
      const Words fields = parts_of(line, '|');
      Entry& entry = tables[fields[0]].emplace_back();
      for (std::size_t i = 1; i < fields.size(); ++i) entry.push_back(parts_of(fields[i], ','));
    }
    return tables;
  }();
  return all.at(name);
}

}  // namespace gausscse::lexicon
