#include "base/user_paths.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns the name of the variable that the path's first component represents; empty for "~user" and the like.
std::string variable_of(std::string_view first) {
  if (first == "~") return "HOME";
  if (first.starts_with("${") && first.ends_with('}')) return std::string(first.substr(2, first.size() - 3));
  if (first.starts_with('$')) return std::string(first.substr(1));
  return {};
}

}  // namespace

std::filesystem::path user_cache_folder(std::string_view name) {
  if (const char* cache = std::getenv("GAUSSCSE_CACHE"); cache && *cache) return std::filesystem::path(cache) / name;
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".cache" / "gausscse" / name;
  return {};
}

std::string shell_path_advice(std::string_view path) {
  if (!path.starts_with('~') && !path.starts_with('$')) return {};
  const std::size_t slash = path.find('/');
  const std::string_view rest = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
  const std::string variable = variable_of(path.substr(0, slash));
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  const std::string whole = value && *value ? concat(quoted(concat(value, rest), 200)) : std::string("the whole path");
  return concat("write ", whole, ", or ", quoted(concat("./", path), 200), " for a name that begins so");
}

bool begins_with_home(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  return first == "~" || first == "$HOME" || first == "${HOME}";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace gausscse
