#include "experiments/claims/claims.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/claims/claim_content.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

bool ClaimWatch::is_dead(const std::string& name, const std::string& bytes) {
  const auto content = parse_claim(bytes);
  if (content && is_known_to_be_gone(content->process, world_)) return true;
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

namespace {

namespace fs = std::filesystem;

long last_of(const std::set<long>& generations) {
  return generations.empty() ? 0 : *generations.rbegin();
}

}  // namespace

Claims::Claims(const fs::path& results, double lease, SteadyNow now, ProcessIdentity process, const World& world)
    : world_(world),
      results_(results),
      folder_(results / study_layout::claims),
      content_{.worker = random_worker_name(), .process = std::move(process), .lease = lease},
      watch_(lease, std::move(now), world) {}

/// Returns whether the holder is dead. A claim that is gone meanwhile was released, or taken over by somebody who
/// lives.
bool Claims::is_dead(const std::string& identity, long generation) {
  const std::string name = study_layout::generation_name(identity, generation);
  const auto bytes = read_claim_bytes(folder_ / name, world_);
  return bytes && watch_.is_dead(name, *bytes);
}

std::map<std::string, bool> Claims::look() {
  std::map<std::string, bool> dead;
  std::set<std::string> seen;
  for (const auto& [identity, generations] : generations_in(folder_, world_)) {
    dead[identity] = is_dead(identity, last_of(generations));
    seen.insert(study_layout::generation_name(identity, last_of(generations)));
  }
  watch_.keep_only(seen);
  return dead;
}

/// Returns the highest generation of all that is left of a trial besides claims.
long Claims::highest_abandoned_generation(const std::string& identity) const {
  const LeftFolders left = left_folders(results_, identity, world_);
  return std::max({read_attempts(study_layout::done_folder(results_, identity), world_).generation,
                   last_of(generations_of(results_ / study_layout::unfinished, identity, world_)),
                   left.empty() ? 0 : left.begin()->first,
                   last_of(generations_of(results_ / study_layout::set_aside, identity, world_))});
}

std::string Claims::holder_of(const std::string& identity) const {
  const std::string name = study_layout::generation_name(identity, last_of(generations_of(folder_, identity, world_)));
  const auto bytes = read_claim_bytes(folder_ / name, world_);
  const auto content = bytes ? parse_claim(*bytes) : std::nullopt;
  const double silence = watch_.seconds_of_silence(name), lease = content ? content->lease : content_.lease;
  return concat(content
                    ? concat("process ", content->process.number, " on ", content->process.host)
                    : concat("an unknown process that made ", (folder_ / name).string(), ", which names no process"),
                " (its claim was renewed ", readable_duration(silence), " ago; another worker takes it over after ",
                readable_duration(lease - silence), " more without a renewal)");
}

std::unique_ptr<Claim> Claims::acquire(const std::string& identity) {
  const long holder = last_of(generations_of(folder_, identity, world_));
  if (holder > 0 && !is_dead(identity, holder)) return nullptr;
  const long abandoned = highest_abandoned_generation(identity);
  if (abandoned > holder) {
    // A host may remember names of the claims from before its holder made that claim. The server knows it.
    const std::unique_ptr<Claim> probe = Claim::create(folder_, identity, abandoned, content_, world_);
    if (!probe) return nullptr;
    probe->withdraw();
  }
  const long generation = std::max(holder, abandoned) + 1;
  std::unique_ptr<Claim> claim = Claim::create(folder_, identity, generation, content_, world_);
  if (!claim) return nullptr;
  // Others see another claim where this worker makes the same generation again.
  content_.counter += std::uint64_t{1} << 32;
  // The earlier look may be out of date: another worker may have held the trial and left it in between, or the holder
  // has awoken.
  if (highest_abandoned_generation(identity) >= generation ||
      last_of(generations_of(folder_, identity, world_)) > generation || (holder > 0 && !is_dead(identity, holder))) {
    claim->withdraw();
    return nullptr;
  }
  return claim;
}

}  // namespace gausscse
