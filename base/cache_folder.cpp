#include "base/cache_folder.hpp"

#include <cstdlib>

namespace gausscse {

std::filesystem::path user_cache_folder(std::string_view name) {
  if (const char* cache = std::getenv("GAUSSCSE_CACHE"); cache && *cache) return std::filesystem::path(cache) / name;
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".cache" / "gausscse" / name;
  return {};
}

}  // namespace gausscse
