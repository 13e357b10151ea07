#include <cstdlib>

#include "experiments/trial/trial.hpp"

namespace gausscse {

std::filesystem::path token_cache_folder(const Trial::Data& data) {
  if (!data.cache.empty()) return data.cache;
  if (const char* cache = std::getenv("GAUSSCSE_CACHE"); cache && *cache)
    return std::filesystem::path(cache) / "tokens";
  if (const char* home = std::getenv("HOME"); home && *home) {
    return std::filesystem::path(home) / ".cache" / "gausscse" / "tokens";
  }
  return {};
}

}  // namespace gausscse
