#include "data/corpus/string_table.hpp"

#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::uint32_t no_rank = 0xFFFFFFFF;

}  // namespace

StringTable::StringTable() : ends_(1, 0), slots_(1024, no_text) {}

/// Returns the slot that holds `text`, or the free one where it belongs.
std::size_t StringTable::slot_of(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = XXH3_64bits(text.data(), text.size()) & mask;
  while (slots_[slot] != no_text && (*this)[slots_[slot]] != text) slot = (slot + 1) & mask;
  return slot;
}

void StringTable::grow() {
  slots_.assign(2 * slots_.size(), no_text);
  for (std::uint32_t index = 0; index < size(); ++index) slots_[slot_of((*this)[index])] = index;
}

std::uint32_t StringTable::intern(std::string_view text) {
  std::size_t slot = slot_of(text);
  if (slots_[slot] != no_text) return slots_[slot];
  if (size() >= no_text - 1)
    throw InputError("the corpus has over 4 billion distinct sentences: train on a part of it");
  if (2 * (size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(text);
  }
  const auto index = static_cast<std::uint32_t>(size());
  slots_[slot] = index;
  bytes_ += text;
  ends_.push_back(bytes_.size());
  return index;
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
    group = {premises_[rank], {}, {}};
    // Records are in the order of hypotheses, so both lists come out sorted by number.
    for (; record != records_.end() && record->premise_rank == rank; ++record) {
      if (record->label == NliLabel::entailment) group.entailed.push_back(record->hypothesis);
      if (record->label == NliLabel::contradiction) group.contradicted.push_back(record->hypothesis);
    }
    std::vector<std::uint32_t> both;
    std::set_intersection(group.entailed.begin(), group.entailed.end(), group.contradicted.begin(),
                          group.contradicted.end(), std::back_inserter(both));
    conflicting_ += both.size();
    const auto conflicts = [&](std::uint32_t text) { return std::binary_search(both.begin(), both.end(), text); };
    std::erase_if(group.entailed, conflicts);
    std::erase_if(group.contradicted, conflicts);
    std::sort(group.entailed.begin(), group.entailed.end(), by_text);
    std::sort(group.contradicted.begin(), group.contradicted.end(), by_text);
    visit(group);
  }
}

}  // namespace gausscse
