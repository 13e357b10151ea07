#include "experiments/study/generations.hpp"

#include <charconv>
#include <system_error>

#include "base/error.hpp"

namespace gausscse {

std::optional<std::pair<std::string, long>> split_generation(std::string_view name) {
  const std::size_t point = name.find('.');
  if (point == std::string_view::npos || point == 0) return std::nullopt;
  const std::string_view digits = name.substr(point + 1);
  long generation = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), generation);
  // "01" would be the name of another file than 1.
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '0' || generation < 1 ||
      generation > highest_generation)
    return std::nullopt;
  return std::pair(std::string(name.substr(0, point)), generation);
}

std::map<std::string, std::set<long>> generations_in(const std::filesystem::path& folder, const World& world) {
  std::map<std::string, std::set<long>> found;
  for (const std::string& name : names_in(folder, world))
    if (const auto split = split_generation(name)) found[split->first].insert(split->second);
  return found;
}

std::set<long> generations_of(const std::filesystem::path& folder, const std::string& identity, const World& world) {
  auto all = generations_in(folder, world);
  return std::move(all[identity]);
}

std::vector<std::string> names_in(const std::filesystem::path& folder, const World& world) {
  std::error_code error;
  std::vector<std::string> found = world.names(folder, error);
  if (error && !(error == std::errc::no_such_file_or_directory && found.empty()))
    throw SystemError(concat("cannot look through ", folder.string(), ": ", error.message()));
  std::erase_if(found, [](const std::string& name) { return name.starts_with('.'); });
  return found;
}

}  // namespace gausscse
