#include "experiments/grid/generations.hpp"

#include <charconv>
#include <optional>

#include "base/error.hpp"

namespace gausscse {

namespace {

std::optional<std::pair<std::string, long>> split_generation(const std::string& name) {
  const std::size_t point = name.find('.');
  if (point == std::string::npos || point == 0) return std::nullopt;
  long generation = 0;
  const char* begin = name.data() + point + 1;
  const char* end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(begin, end, generation);
  // "01" would be the name of another file than 1.
  if (error != std::errc() || parsed != end || *begin == '0' || generation < 1) return std::nullopt;
  return std::pair(name.substr(0, point), generation);
}

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return found;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) found.push_back(std::move(name));
  }
  if (error) throw SystemError(concat("cannot look through ", folder.string(), ": ", error.message()));
  return found;
}

std::map<std::string, std::set<long>> generations_in(const std::filesystem::path& folder) {
  std::map<std::string, std::set<long>> found;
  for (const std::string& name : names_in(folder))
    if (const auto split = split_generation(name)) found[split->first].insert(split->second);
  return found;
}

std::set<long> generations_of(const std::filesystem::path& folder, const std::string& identity) {
  auto all = generations_in(folder);
  return std::move(all[identity]);
}

}  // namespace gausscse
