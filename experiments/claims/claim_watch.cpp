#include "experiments/claims/claim_watch.hpp"

#include <algorithm>

#include "experiments/claims/claim_content.hpp"

namespace gausscse {

bool ClaimWatch::is_dead(const std::string& name, const std::string& bytes) {
  const auto content = parse_claim(bytes);
  if (content && is_known_to_be_gone(content->process)) return true;
  const TimePoint now = now_();
  const std::chrono::duration<double> lease(content ? content->lease : lease_), own_lease(lease_);
  const auto [place, is_new] = seen_.try_emplace(name, Seen{bytes, now, now});
  Seen& seen = place->second;
  if (!is_new && (seen.bytes != bytes || now - seen.last_look > std::max(lease, own_lease) / 2)) {
    seen.bytes = bytes;
    seen.unchanged_since = now;
  }
  seen.last_look = now;
  return now - seen.unchanged_since > lease;
}

double ClaimWatch::seconds_of_silence(const std::string& name) const {
  const auto seen = seen_.find(name);
  return seen == seen_.end() ? 0 : std::chrono::duration<double>(now_() - seen->second.unchanged_since).count();
}

void ClaimWatch::keep_only(const std::set<std::string>& names) {
  std::erase_if(seen_, [&](const auto& entry) { return names.count(entry.first) == 0; });
}

}  // namespace gausscse
