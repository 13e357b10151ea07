#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "data/tokenizer/text_block.hpp"

namespace gausscse {

/// Ids of the words that one thread met last, for all tokenizers that it uses. The size is fixed: a new word takes the
/// place of an older one, so no text makes the cache grow. Words are compared byte by byte. An entry is
///
///     word (15 bytes), its length and number of ids | three ids | number of the tokenizer, its owner
///
/// Words with the same hash share a set of four entries, the last used first.
class WordCache {
 public:
  /// Largest number of ids of a word in the cache.
  static constexpr std::size_t most_ids = 3;

  struct Entry {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  ///< as in the key; bits 60 to 63: number of ids
    std::array<std::uint32_t, most_ids + 1> ids_and_owner{};

    std::size_t id_count() const { return high >> 60; }
    bool is_of(const WordKey& key, std::uint32_t owner) const {
      return ((low ^ key.low) | (high ^ key.high) << 4 | (ids_and_owner[most_ids] ^ owner)) == 0;
    }
  };

  /// Makes an empty cache of `sets` sets, a power of two up to 2^24. Memory is taken as sets are first used.
  explicit WordCache(std::size_t sets);

  /// Returns the cache of the calling thread, of 4 MiB.
  static WordCache& of_thread();

  /// Returns a number that no other tokenizer of the process has, from 1.
  static std::uint32_t new_owner();

  /// Returns the first entry of a word's set, where the word is if it was the last used.
  const Entry* place_of(const WordKey& key) const { return set_of(key); }

  /// Returns the entry of a word, or nullptr; makes it the first of its set.
  const Entry* find(const WordKey& key, std::uint32_t owner);

  /// Keeps a word's ids, if there are at most `most_ids`, in place of the word of its set that was used longest ago.
  void put(const WordKey& key, std::uint32_t owner, const std::uint32_t* ids, std::size_t count);

 private:
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };

  static constexpr std::size_t ways = 4;

  Entry* set_of(const WordKey& key) const {
    const std::uint64_t hash = key.low * 0x9E3779B97F4A7C15 + key.high * 0xC2B2AE3D27D4EB4F;
    return entries_.get() + (hash >> 40 & set_mask_) * ways;
  }

  std::uint64_t set_mask_;
  std::unique_ptr<Entry[], Free> entries_;
};

/// Appends the ids of a text's words to a vector, in their order. Words wait until there are several: meanwhile their
/// entries come from memory. `Make` is a function of a word and a vector that appends the word's ids; it is called for
/// words that are not in the cache.
///
///     WordQueue words(WordCache::of_thread(), owner, ids, make);
///     words.append(text_block(text, begin), length, text.data() + begin);
///     words.finish();
template <typename Make>
class WordQueue {
 public:
  /// Makes a queue; all arguments must outlive it.
  WordQueue(WordCache& cache, std::uint32_t owner, std::vector<std::uint32_t>& ids, const Make& make)
      : cache_(cache), owner_(owner), ids_(ids), make_(make) {}

  /// Appends a word: the first `length` <= WordKey::longest bytes of `block` as the key, and of `word` for `make`.
  void append(const TextBlock& block, std::size_t length, const char* word) {
    const WordKey key(block, length);
    const WordCache::Entry* place = cache_.place_of(key);
    __builtin_prefetch(place);
    waiting_[count_++] = {key, place, word};
    if (count_ == most_waiting) finish();
  }

  /// Appends the ids of all words that wait.
  void finish() {
    std::array<std::uint32_t, WordCache::most_ids * most_waiting + 1> found;
    std::size_t end = 0;
    const auto append_found = [&] {
      ids_.insert(ids_.end(), found.data(), found.data() + end);
      end = 0;
    };
    for (std::size_t i = 0; i < count_; ++i) {
      const Waiting& word = waiting_[i];
      const WordCache::Entry* entry = word.place;
      if (!entry->is_of(word.key, owner_)) entry = cache_.find(word.key, owner_);
      if (entry == nullptr) {
        append_found();
        const std::size_t first = ids_.size();
        make_(std::string_view(word.begin, word.key.length()), ids_);
        cache_.put(word.key, owner_, ids_.data() + first, ids_.size() - first);
        continue;
      }
      // A copy of fixed size is one instruction. The ids that are too much are overwritten.
      std::memcpy(found.data() + end, entry->ids_and_owner.data(), sizeof entry->ids_and_owner);
      end += entry->id_count();
    }
    append_found();
    count_ = 0;
  }

 private:
  static constexpr std::size_t most_waiting = 32;

  struct Waiting {
    WordKey key;
    const WordCache::Entry* place;
    const char* begin;
  };

  WordCache& cache_;
  std::uint32_t owner_;
  std::vector<std::uint32_t>& ids_;
  const Make& make_;
  std::size_t count_ = 0;
  std::array<Waiting, most_waiting> waiting_;  // those before `count_` have values
};

}  // namespace gausscse
