#include "data/tokenizer/word_cache.hpp"

#include <algorithm>
#include <atomic>
#include <new>

namespace gausscse {

WordCache::WordCache(std::size_t sets)
    : set_mask_(sets - 1), entries_(static_cast<Entry*>(std::calloc(sets, ways * sizeof(Entry)))) {
  if (!entries_) throw std::bad_alloc();
}

WordCache& WordCache::of_thread() {
  constexpr std::size_t sets = std::size_t{1} << 15;
  thread_local WordCache cache(sets);
  return cache;
}

std::uint32_t WordCache::new_owner() {
  static std::atomic<std::uint32_t> owners{0};
  return ++owners;
}

const WordCache::Entry* WordCache::find(const WordKey& key, std::uint32_t owner) {
  Entry* set = set_of(key);
  for (std::size_t i = 0; i < ways; ++i) {
    if (!set[i].is_of(key, owner)) continue;
    std::rotate(set, set + i, set + i + 1);
    return set;
  }
  return nullptr;
}

void WordCache::put(const WordKey& key, std::uint32_t owner, const std::uint32_t* ids, std::size_t count) {
  if (count > most_ids) return;
  Entry* set = set_of(key);
  std::copy_backward(set, set + ways - 1, set + ways);
  *set = Entry{key.low, key.high | std::uint64_t{count} << 60, {}};
  std::copy_n(ids, count, set->ids_and_owner.begin());
  set->ids_and_owner[most_ids] = owner;
}

}  // namespace gausscse
