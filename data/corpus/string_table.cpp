#include "data/corpus/string_table.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::uint32_t no_rank = 0xFFFFFFFF;
constexpr std::size_t first_slots = 1024;
constexpr std::size_t first_block_bytes = std::size_t{1} << 20;
constexpr std::size_t most_block_bytes = std::size_t{32} << 20;

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()) >> 32);
}

}  // namespace

std::size_t StringTable::first_slot(std::uint32_t hash, std::size_t slots) {
  return static_cast<std::size_t>(std::uint64_t{hash} * slots >> 32);
}

/// Returns the slot of `text`, or the empty one that it would take. There are slots.
std::size_t StringTable::find_slot(std::string_view text, std::uint32_t hash) const {
  std::size_t slot = first_slot(hash, slots_.size());
  while (slots_[slot].number != no_rank && (slots_[slot].hash != hash || texts_[slots_[slot].number] != text))
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

void StringTable::double_slots() {
  std::vector<Slot, LargePages<Slot>> larger(std::max(first_slots, 2 * slots_.size()));
  for (const Slot& old : slots_) {
    if (old.number == no_rank) continue;
    std::size_t slot = first_slot(old.hash, larger.size());
    while (larger[slot].number != no_rank) slot = (slot + 1) & (larger.size() - 1);
    larger[slot] = old;
  }
  slots_ = std::move(larger);
}

std::string_view StringTable::copy_of(std::string_view text) {
  if (text.size() > block_bytes_ - block_used_) {
    const std::size_t bytes = std::clamp(2 * block_bytes_, first_block_bytes, most_block_bytes);
    block_used_ = block_bytes_ = 0;
    blocks_.emplace_back();
    block_bytes_ = std::max(bytes, text.size());
    blocks_.back() = {static_cast<char*>(allocate_large_pages(block_bytes_)), FreeBlock{block_bytes_}};
  }
  if (text.empty()) return {};
  char* begin = blocks_.back().get() + block_used_;
  std::memcpy(begin, text.data(), text.size());
  block_used_ += text.size();
  return {begin, text.size()};
}

std::uint32_t StringTable::intern_hashed(std::string_view text, std::uint32_t hash) {
  if (4 * (size() + 1) > 3 * slots_.size()) double_slots();
  Slot& slot = slots_[find_slot(text, hash)];
  if (slot.number != no_rank) return slot.number;
  if (size() >= no_rank - 1)
    throw InputError("the corpus has over 4 billion distinct sentences: train on a part of it");
  texts_.push_back(copy_of(text));
  slot = {hash, static_cast<std::uint32_t>(size() - 1)};
  return slot.number;
}

std::uint32_t StringTable::intern(std::string_view text) {
  return intern_hashed(text, hash_of(text));
}

void StringTable::intern(std::span<const std::string_view> texts, std::span<std::uint32_t> numbers) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // A hash is as wide as a number, and waits in its place.
    numbers[i] = hash_of(texts[i]);
    if (!slots_.empty()) __builtin_prefetch(&slots_[first_slot(numbers[i], slots_.size())]);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) numbers[i] = intern_hashed(texts[i], numbers[i]);
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[find_slot(text, hash_of(text))];
  return slot.number == no_rank ? std::nullopt : std::optional(slot.number);
}

std::uint32_t HypothesesOfPremises::rank_of_premise(std::uint32_t premise) {
  if (premise_ranks_.size() < texts_.size()) premise_ranks_.resize(texts_.size(), no_rank);
  std::uint32_t& rank = premise_ranks_[premise];
  if (rank == no_rank) {
    rank = static_cast<std::uint32_t>(premises_.size());
    premises_.push_back(premise);
  }
  return rank;
}

void HypothesesOfPremises::add(const NliPair& pair) {
  const std::uint32_t premise = texts_.intern(pair.premise);
  const std::uint32_t hypothesis = texts_.intern(pair.hypothesis);
  records_.push_back({rank_of_premise(premise), hypothesis, pair.label});
}

std::vector<std::uint32_t> HypothesesOfPremises::hypotheses() const {
  std::vector<bool> is_hypothesis(texts_.size());
  for (const Record& record : records_) is_hypothesis[record.hypothesis] = true;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t text = 0; text < texts_.size(); ++text)
    if (is_hypothesis[text]) numbers.push_back(text);
  return numbers;
}

void HypothesesOfPremises::for_each_group(const std::function<void(const Group&)>& visit) {
  std::sort(records_.begin(), records_.end());
  const auto last = std::unique(records_.begin(), records_.end());
  duplicates_ = static_cast<std::size_t>(records_.end() - last);
  records_.erase(last, records_.end());
  conflicting_ = 0;

  const auto by_text = [&](std::uint32_t a, std::uint32_t b) { return texts_[a] < texts_[b]; };
  Group group;
  for (auto record = records_.begin(); record != records_.end();) {
    const std::uint32_t rank = record->premise_rank;
    group = {premises_[rank], {}, {}, {}};
    // Records are in the order of hypotheses, so all lists come out sorted by number.
    for (; record != records_.end() && record->premise_rank == rank; ++record) {
      if (record->label == NliLabel::entailment) group.entailed.push_back(record->hypothesis);
      if (record->label == NliLabel::contradiction) group.contradicted.push_back(record->hypothesis);
      if (record->label == NliLabel::neutral) group.neutral.push_back(record->hypothesis);
    }
    group.neutral.erase(std::unique(group.neutral.begin(), group.neutral.end()), group.neutral.end());
    for (const auto* others : {&group.entailed, &group.contradicted})
      std::erase_if(group.neutral,
                    [&](std::uint32_t text) { return std::binary_search(others->begin(), others->end(), text); });
    std::vector<std::uint32_t> both;
    std::set_intersection(group.entailed.begin(), group.entailed.end(), group.contradicted.begin(),
                          group.contradicted.end(), std::back_inserter(both));
    conflicting_ += both.size();
    const auto conflicts = [&](std::uint32_t text) { return std::binary_search(both.begin(), both.end(), text); };
    std::erase_if(group.entailed, conflicts);
    std::erase_if(group.contradicted, conflicts);
    std::sort(group.entailed.begin(), group.entailed.end(), by_text);
    std::sort(group.contradicted.begin(), group.contradicted.end(), by_text);
    std::sort(group.neutral.begin(), group.neutral.end(), by_text);
    visit(group);
  }
}

}  // namespace gausscse
