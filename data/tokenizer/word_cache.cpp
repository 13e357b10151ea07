#include "data/tokenizer/word_cache.hpp"

#include <algorithm>
#include <atomic>

namespace gausscse {

namespace {

constexpr std::size_t most_bytes_of_others = std::size_t{1} << 20;

}  // namespace

WordCache& WordCache::of_thread() {
  constexpr std::size_t first_sets = std::size_t{1} << 11, most_sets = std::size_t{1} << 16;
  thread_local WordCache cache(first_sets);
  if (cache.entries_.size() == first_sets * ways && cache.new_words_ > first_sets * ways / 2) cache.grow(most_sets);
  return cache;
}

/// Takes more memory, for the same words. Those of a set keep their order.
void WordCache::grow(std::size_t sets) {
  std::vector<Entry, LargePages<Entry>> before(sets * ways);
  before.swap(entries_);
  for (auto entry = before.rbegin(); entry != before.rend(); ++entry)
    if (entry->ids_and_owner[most_ids] != 0) put_first(*entry);
}

void WordCache::put_first(const Entry& entry) {
  Entry* set = set_of(entry.low, entry.high & ~(std::uint64_t{15} << 60));
  std::copy_backward(set, set + ways - 1, set + ways);
  *set = entry;
}

std::uint32_t WordCache::new_owner() {
  static std::atomic<std::uint32_t> owners{0};
  return ++owners;
}

const WordCache::Entry* WordCache::find(const WordKey& key, std::uint32_t owner) {
  Entry* set = set_of(key.low, key.high);
  for (std::size_t i = 0; i < ways; ++i) {
    if (!set[i].is_of(key, owner)) continue;
    std::rotate(set, set + i, set + i + 1);
    return set;
  }
  return nullptr;
}

void WordCache::put(const WordKey& key, std::uint32_t owner, std::span<const std::uint32_t> ids) {
  Entry entry{key.low, key.high | std::uint64_t{ids.size()} << 60, {}};
  std::copy(ids.begin(), ids.end(), entry.ids_and_owner.begin());
  entry.ids_and_owner[most_ids] = owner;
  put_first(entry);
  ++new_words_;
}

const std::string& WordCache::other_key(std::string_view word, std::uint32_t owner) {
  key_of_other_.assign(reinterpret_cast<const char*>(&owner), sizeof owner);
  return key_of_other_ += word;
}

bool WordCache::append_other(std::string_view word, std::uint32_t owner, std::vector<std::uint32_t>& ids) {
  if (others_.empty()) return false;
  const auto found = others_.find(other_key(word, owner));
  if (found == others_.end()) return false;
  ids.insert(ids.end(), found->second.begin(), found->second.end());
  return true;
}

void WordCache::put_other(std::string_view word, std::uint32_t owner, std::span<const std::uint32_t> ids) {
  if (bytes_of_others_ > most_bytes_of_others) {
    others_.clear();
    bytes_of_others_ = 0;
  }
  const std::string& key = other_key(word, owner);
  others_.emplace(key, std::vector<std::uint32_t>(ids.begin(), ids.end()));
  bytes_of_others_ += 2 * sizeof(*others_.begin()) + key.size() + ids.size_bytes();
}

}  // namespace gausscse
