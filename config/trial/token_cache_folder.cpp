#include "base/user_paths.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

std::filesystem::path token_cache_folder(const Trial::Data& data) {
  return data.cache.empty() ? user_cache_folder("tokens") : data.cache;
}

}  // namespace gausscse
