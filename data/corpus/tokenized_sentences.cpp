#include "data/corpus/tokenized_sentences.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

/// Sentences that are tokenised for one piece of work.
constexpr std::size_t sentences_of_work = 256;

/// Tokens that one thread made of its sentences.
struct Part {
  std::string ids;
  std::vector<std::uint32_t> lengths;
  std::vector<TokenCounts> counts;  ///< one a group
};

template <typename Id>
void append_ids(const std::vector<std::uint32_t>& ids, std::vector<Id>& narrowed, std::string& out) {
  narrowed.assign(ids.begin(), ids.end());
  out.append(reinterpret_cast<const char*>(narrowed.data()), narrowed.size() * sizeof(Id));
}

/// Tokenises sentences `begin` to `end`.
template <typename Id>
Part tokenize_part(std::span<const std::string> sentences, std::size_t begin, std::size_t end,
                   const Tokenizer& tokenizer, std::size_t max_tokens, std::span<const std::size_t> group_ends) {
  Part part;
  part.lengths.reserve(end - begin);
  part.counts.resize(group_ends.size());
  const std::size_t vocabulary_size = tokenizer.vocabulary_size();
  std::vector<std::uint32_t> ids;
  std::vector<Id> narrowed;
  std::size_t group = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string& sentence = sentences[i];
    while (i >= group_ends[group]) ++group;
    ids.clear();
    const bool is_cut = tokenizer.encode(sentence, max_tokens, ids);
    part.counts[group].add(tokenizer, sentence, ids, is_cut);
    GAUSSCSE_CHECK(ids.size() <= max_tokens, ids.size(), " tokens of ", quoted(sentence));
    GAUSSCSE_CHECK(std::all_of(ids.begin(), ids.end(), [=](std::uint32_t id) { return id < vocabulary_size; }),
                   "token id of ", quoted(sentence));
    append_ids(ids, narrowed, part.ids);
    part.lengths.push_back(static_cast<std::uint32_t>(ids.size()));
    if (part.lengths.size() % sentences_of_work == 0) count_work();
  }
  return part;
}

}  // namespace

TokenizedSentences tokenize_sentences(std::span<const std::string> sentences, const Tokenizer& tokenizer,
                                      std::size_t max_tokens, std::size_t threads,
                                      std::span<const std::size_t> group_ends) {
  GAUSSCSE_CHECK(threads >= 1, "no thread to tokenise with");
  GAUSSCSE_CHECK(!group_ends.empty() && group_ends.back() == sentences.size(), "groups do not end with the sentences");
  constexpr std::size_t fewest_sentences_a_thread = 256;
  const bool narrow = tokenizer.vocabulary_size() <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
  const auto tokenize = narrow ? tokenize_part<std::uint16_t> : tokenize_part<std::uint32_t>;
  const std::size_t parts = std::clamp(sentences.size() / fewest_sentences_a_thread, std::size_t{1}, threads);

  std::vector<std::future<Part>> futures;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = sentences.size() * i / parts;
    const std::size_t end = sentences.size() * (i + 1) / parts;
    // The last part is done by this thread, at get().
    const auto policy = i + 1 < parts ? std::launch::async : std::launch::deferred;
    futures.push_back(std::async(
        policy, [=, &tokenizer] { return tokenize(sentences, begin, end, tokenizer, max_tokens, group_ends); }));
  }
  futures.back().wait();

  TokenizedSentences result;
  result.id_bytes = narrow ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
  result.counts.resize(group_ends.size());
  result.offsets.reserve(sentences.size() + 1);
  result.offsets.push_back(0);
  for (std::future<Part>& future : futures) {
    const Part part = future.get();
    for (const std::uint32_t length : part.lengths) result.offsets.push_back(result.offsets.back() + length);
    result.ids += part.ids;
    for (std::size_t group = 0; group < group_ends.size(); ++group) result.counts[group].add(part.counts[group]);
  }
  return result;
}

std::vector<std::uint32_t> first_of_same_ids(const TokenizedSentences& tokens) {
  const std::size_t sentences = tokens.offsets.size() - 1;
  std::unordered_map<std::string_view, std::uint32_t> first_of;
  first_of.reserve(sentences);
  std::vector<std::uint32_t> firsts(sentences);
  std::string_view rest = tokens.ids;
  for (std::uint32_t i = 0; i < sentences; ++i) {
    const auto bytes = static_cast<std::size_t>(tokens.offsets[i + 1] - tokens.offsets[i]) * tokens.id_bytes;
    GAUSSCSE_CHECK(bytes > 0 && bytes <= rest.size(), bytes, " bytes of sentence ", i, " in ", rest.size());
    firsts[i] = first_of.try_emplace(rest.substr(0, bytes), i).first->second;
    rest.remove_prefix(bytes);
  }
  return firsts;
}

}  // namespace gausscse
