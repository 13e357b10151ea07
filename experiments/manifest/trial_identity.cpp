#include "experiments/manifest/trial_identity.hpp"

#include <filesystem>
#include <map>
#include <memory>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "config/trial/trial_identity.hpp"

namespace gausscse {

std::string trial_identity(const Trial& trial, const std::vector<InputContent>& contents) {
  std::string text = identity_text(trial);
  for (const InputContent& content : contents) text += concat(content.role, ": ", content.hash, "\n");
  return content_hash_of(text);
}

ContentHash remembered_content_hash() {
  return [known = std::make_shared<std::map<std::filesystem::path, std::string>>(),
          cache = hash_cache_folder()](const std::filesystem::path& file) {
    const auto found = known->find(file);
    if (found != known->end()) return found->second;
    return known->emplace(file, cached_content_hash(file, cache)).first->second;
  };
}

}  // namespace gausscse
