#include "experiments/claims/generations.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "experiments/study/generation_name.hpp"

namespace gausscse {

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

std::vector<std::filesystem::path> impossible_generations_in(const std::filesystem::path& folder) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  std::vector<std::filesystem::path> found;
  for (const std::string& name : names_in(folder)) {
    const std::size_t point = name.find('.');
    if (point != std::string::npos && point + 1 < name.size() && !split_generation(name) &&
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(point) + 1, name.end(), is_digit))
      found.push_back(folder / name);
  }
  return found;
}

}  // namespace gausscse
