#include "inference/search/mined_pairs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace gausscse {

std::size_t SentenceIdentity::operator()(std::string_view sentence) const {
  std::vector<std::uint32_t> ids;
  tokenizer_.encode(sentence, max_tokens_, ids);
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof ids.front()});
}

void DistinctSentences::keep_new(std::vector<std::string>& sentences) {
  std::erase_if(sentences, [&](const std::string& sentence) {
    return sentence.find_first_not_of(" \t\r") == std::string::npos || !seen_.insert(identity_(sentence)).second;
  });
}

void MinedPairs::add(std::vector<std::string>& sentences) {
  std::vector<std::string> added;
  for (std::size_t i = 0; i + 1 < sentences.size(); i += 2) {
    const std::size_t identity = identity_(sentences[i]);
    const auto [place, is_new] = places_.emplace(identity, premises_.size());
    if (is_new) {
      premises_.push_back({sentences[i], {identity}, {}});
      added.push_back(sentences[i]);
    }
    premises_[place->second].excluded.insert(identity_(sentences[i + 1]));
    pairs_.push_back({place->second, std::move(sentences[i + 1])});
  }
  sentences = std::move(added);
}

std::size_t MinedPairs::most_excluded() const {
  std::size_t most = 0;
  for (const Premise& premise : premises_) most = std::max(most, premise.excluded.size());
  return most;
}

void MinedPairs::take(std::size_t premise, const std::vector<std::string>& texts, std::size_t skip, std::size_t count) {
  Premise& own = premises_[premise];
  own.negatives.clear();
  for (const std::string& text : texts) {
    if (own.negatives.size() == count) return;
    if (own.excluded.contains(identity_(text))) continue;
    if (skip > 0)
      --skip;
    else
      own.negatives.push_back(text);
  }
}

}  // namespace gausscse
