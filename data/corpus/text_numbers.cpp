#include "data/corpus/text_numbers.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace gausscse {

namespace {

constexpr std::uint32_t entailment = 0;

void sort_once(std::vector<TextNumbers::Pair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

TextNumbers::TextNumbers(const TokenStore& store) : store_(store) {
  const auto sentences = static_cast<std::uint32_t>(store.sentences());
  std::unordered_map<std::string, std::uint32_t> first_of;
  first_of.reserve(sentences);
  numbers_.reserve(sentences);
  std::vector<std::uint32_t> ids;
  for (std::uint32_t sentence = 0; sentence < sentences; ++sentence) {
    ids.clear();
    store.append_tokens(sentence, ids);
    const std::string bytes(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(ids[0]));
    numbers_.push_back(first_of.try_emplace(bytes, sentence).first->second);
  }
  for (std::size_t example = 0; example < store.examples(); ++example)
    if (!store.has_labels() || store.label(example) == entailment)
      entailed_.emplace_back(of(store.sentence(example, 0)), of(store.sentence(example, 1)));
  sort_once(entailed_);
}

std::vector<std::uint32_t> TextNumbers::of_examples() const {
  std::vector<std::uint32_t> texts;
  const auto roles = static_cast<std::size_t>(store_.roles());
  texts.reserve(store_.examples() * roles);
  for (std::size_t example = 0; example < store_.examples(); ++example)
    for (std::size_t role = 0; role < roles; ++role) texts.push_back(of(store_.sentence(example, role)));
  return texts;
}

std::vector<TextNumbers::Pair> TextNumbers::entailed_among(std::span<const std::int64_t> texts) const {
  std::vector<std::uint32_t> distinct(texts.begin(), texts.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<Pair> pairs;
  for (const std::uint32_t text : distinct)
    for (auto pair = std::lower_bound(entailed_.begin(), entailed_.end(), Pair{text, 0});
         pair != entailed_.end() && pair->first == text; ++pair)
      if (std::binary_search(distinct.begin(), distinct.end(), pair->second)) pairs.push_back(*pair);
  return pairs;
}

}  // namespace gausscse
