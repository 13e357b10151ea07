#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"
#include "data/tokenizer/text_block.hpp"

namespace gausscse {

/// Ids of the words that one thread met last, for all tokenizers that it uses. The size is bounded: a new word takes
/// the place of an older one. Words are compared byte by byte. An entry is
///
///     word (15 bytes), its length and number of ids | three ids | number of the tokenizer, its owner
///
/// Words with the same hash share a set of four entries, the last used first. The few words that are longer or have
/// more ids are in a map.
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

  /// Longest word in the map, in bytes.
  static constexpr std::size_t longest_other = 64;

  /// Makes an empty cache of `sets` sets, a power of two up to 2^24.
  explicit WordCache(std::size_t sets) : entries_(sets * ways) {}

  /// Returns the cache of the calling thread: of 256 KiB, and of 8 MiB once it met many words. Entries stay where they
  /// are until the next call.
  static WordCache& of_thread();

  /// Returns a number that no other tokenizer of the process has, from 1.
  static std::uint32_t new_owner();

  /// Returns the first entry of a word's set, where the word is if it was the last used.
  const Entry* place_of(const WordKey& key) const { return set_of(key.low, key.high); }

  /// Returns the entry of a word, or nullptr; makes it the first of its set.
  const Entry* find(const WordKey& key, std::uint32_t owner);

  /// Keeps the ids, at most `most_ids`, of a word in place of the word of its set that was used longest ago.
  void put(const WordKey& key, std::uint32_t owner, std::span<const std::uint32_t> ids);

  /// Appends the ids of a word of at most `longest_other` bytes that is in the map; false if it is not there.
  bool append_other(std::string_view word, std::uint32_t owner, std::vector<std::uint32_t>& ids);

  /// Keeps the ids of such a word in the map. A full map is emptied.
  void put_other(std::string_view word, std::uint32_t owner, std::span<const std::uint32_t> ids);

 private:
  static constexpr std::size_t ways = 4;

  /// Returns the set of a key.
  const Entry* set_of(std::uint64_t low, std::uint64_t high) const {
    const std::uint64_t hash = low * 0x9E3779B97F4A7C15 + high * 0xC2B2AE3D27D4EB4F;
    return entries_.data() + (hash >> 40 & (entries_.size() / ways - 1)) * ways;
  }
  Entry* set_of(std::uint64_t low, std::uint64_t high) {
    return const_cast<Entry*>(std::as_const(*this).set_of(low, high));
  }
  /// Puts an entry in place of that of its set that was used longest ago.
  void put_first(const Entry& entry);

  const std::string& other_key(std::string_view word, std::uint32_t owner);
  void grow(std::size_t sets);

  std::vector<Entry, LargePages<Entry>> entries_;
  std::size_t new_words_ = 0;                                           ///< words that were put
  std::unordered_map<std::string, std::vector<std::uint32_t>> others_;  ///< by word and owner
  std::size_t bytes_of_others_ = 0;
  std::string key_of_other_;
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

  /// Appends a word of any length, which does not wait.
  void append_long(std::string_view word) {
    finish();
    if (word.size() > WordCache::longest_other) {
      make_(word, ids_);
    } else if (!cache_.append_other(word, owner_, ids_)) {
      const std::size_t first = ids_.size();
      make_(word, ids_);
      cache_.put_other(word, owner_, std::span(ids_).subspan(first));
    }
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
        append_missing(word);
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

  /// Appends the ids of a word that has no entry.
  void append_missing(const Waiting& waiting) {
    const std::string_view word(waiting.begin, waiting.key.length());
    if (cache_.append_other(word, owner_, ids_)) return;
    const std::size_t first = ids_.size();
    make_(word, ids_);
    const std::span<const std::uint32_t> ids = std::span(ids_).subspan(first);
    if (ids.size() <= WordCache::most_ids) {
      cache_.put(waiting.key, owner_, ids);
    } else {
      cache_.put_other(word, owner_, ids);
    }
  }

  WordCache& cache_;
  std::uint32_t owner_;
  std::vector<std::uint32_t>& ids_;
  const Make& make_;
  std::size_t count_ = 0;
  std::array<Waiting, most_waiting> waiting_;  // those before `count_` have values
};

}  // namespace gausscse
