#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/large_pages.hpp"
#include "data/corpus/token_counts.hpp"
#include "data/corpus/training_corpus.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// The token ids of a list of sentences, back to back.
struct TokenizedSentences {
  using Ids = std::basic_string<char, std::char_traits<char>, LargePages<char>>;

  std::size_t id_bytes = 0;  ///< width of an id: 2 where the vocabulary fits, else 4
  /// Sentence i has ids offsets[i] .. offsets[i + 1] - 1; [sentences + 1].
  std::vector<std::uint64_t, LargePages<std::uint64_t>> offsets;
  std::vector<Ids> ids;             ///< the ids in the machine's byte order, in pieces of whole sentences
  std::vector<TokenCounts> counts;  ///< one a file, or one for a list
};

/// Tokeniser of sentences that come one after the other. Blocks of them are tokenised by other threads while the next
/// ones come. Only a few blocks wait: where the threads are behind, `add` tokenises a block itself. The result does not
/// depend on the number of threads.
///
///     SentenceTokenizer sentences(tokenizer, max_tokens, threads);
///     build_training_corpus(files, options, &sentences);
///     const TokenizedSentences tokens = sentences.finish();
class SentenceTokenizer final : public SentenceSink {
 public:
  /// Makes a tokeniser with `threads` (>= 1) threads, that of the caller among them. They start when blocks come.
  /// `tokenizer` must outlive it.
  SentenceTokenizer(const Tokenizer& tokenizer, std::size_t max_tokens, std::size_t threads);

  void add(std::string_view sentence) override;
  void end_file() override;

  /// Returns the tokens of all sentences; once, behind the last `end_file`. Throws the tokenizer's errors.
  TokenizedSentences finish();

 private:
  /// Sentences one behind the other.
  struct Sentences {
    std::string text;
    std::vector<std::size_t> ends;  ///< end of each in `text`
  };

  /// Sentences of one file that one thread tokenises, and their tokens.
  struct Block {
    std::size_t file = 0;
    Sentences sentences;  ///< empty once they are tokenised
    TokenizedSentences::Ids ids = {};
    std::vector<std::uint32_t> lengths = {};
    TokenCounts counts = {};
    std::exception_ptr error = {};
  };

  void submit();
  bool tokenize_next(std::unique_lock<std::mutex>& lock);
  void tokenize(Block& block) const;
  template <typename Id>
  void tokenize_as(Block& block) const;
  void work(const std::stop_token& stop);

  const Tokenizer& tokenizer_;
  std::size_t max_tokens_;
  std::size_t threads_;
  bool narrow_;
  std::size_t file_ = 0;
  Sentences next_;             ///< sentences that are no block yet
  std::size_t submitted_ = 0;  ///< number of sentences in blocks

  std::mutex mutex_;  ///< guards the following
  std::condition_variable_any changed_;
  std::deque<Block> blocks_;      ///< all of them; a thread owns the block that it took
  std::size_t taken_ = 0;         ///< the first so many are taken or tokenised
  std::size_t done_ = 0;          ///< number of tokenised blocks
  std::vector<Sentences> spare_;  ///< memory of those, for other sentences
  std::vector<std::jthread> workers_;
};

/// Returns the tokens of a list, by `threads` (>= 1) threads. Throws the tokenizer's errors. Calls `watch` on this
/// thread every 64 sentences, from the first on; an exception of it ends the work.
TokenizedSentences tokenize_sentences(std::span<const std::string> sentences, const Tokenizer& tokenizer,
                                      std::size_t max_tokens, std::size_t threads,
                                      const std::function<void()>& watch = {});

/// Returns for each sentence the lowest number of one with the same ids, which is its own where there is none before
/// it.
std::vector<std::uint32_t> first_of_same_ids(const TokenizedSentences& tokens);

}  // namespace gausscse
