#include "data/corpus/string_table.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::uint32_t no_rank = 0xFFFFFFFF;

}  // namespace

std::uint32_t StringTable::intern(std::string_view text) {
  if (const std::optional<std::uint32_t> number = find(text)) return *number;
  if (size() >= no_rank - 1)
    throw InputError("the corpus has over 4 billion distinct sentences: train on a part of it");
  const auto number = static_cast<std::uint32_t>(size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
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
