#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/sealed_memory.hpp"
#include "data/corpus/token_image.hpp"
#include "data/corpus/training_corpus.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

struct TokenStoreOptions {
  CorpusOptions corpus;
  std::size_t max_tokens = 64;  ///< longer sentences are cut, special tokens kept
  std::size_t threads = 1;      ///< to tokenise with, >= 1
  /// Folder where stores are kept between runs; made if it is missing. Empty: nothing is kept.
  std::filesystem::path cache_folder;
  /// Places where other processes of the node may have the store in memory, as their `place` returned them.
  std::vector<std::string> places;
};

/// Sentences as token ids in flat arrays, and the examples made of them. Immutable; any number of threads may read one.
///
///     const TokenStore store = TokenStore::open_or_build({"snli.jsonl"}, tokenizer, {.max_tokens = 32});
///     std::vector<std::uint32_t> ids;
///     store.append_tokens(store.sentence(0, 1), ids);  // the hypothesis of example 0
class TokenStore {
 public:
  /// Returns the store of a training corpus (see build_training_corpus), each distinct sentence tokenised once. It is
  /// kept in the cache folder under the hash of the files' content, the tokenizer and the settings. Later starts copy
  /// it from there into memory, so that no change of the file changes the store. Processes of the node share the memory
  /// of the first (`place`). A cache that is damaged is made again, one that cannot be written is done without, one
  /// that another user owns or may write is not used: `warnings` has each. Processes that start together each build an
  /// equal store unless one is let ahead. Throws InputError as build_training_corpus does, and if a file changes while
  /// it is read.
  static TokenStore open_or_build(const std::vector<std::filesystem::path>& files, const Tokenizer& tokenizer,
                                  const TokenStoreOptions& options);

  /// Returns the store of a plain list, in its order, without examples; in memory.
  static TokenStore from_sentences(std::span<const std::string> sentences, const Tokenizer& tokenizer,
                                   std::size_t max_tokens, std::size_t threads,
                                   const std::function<void()>& watch = {});

  /// Returns the store of examples whose sentences are rows of a matrix, [examples x roles] numbers below `rows`: a
  /// sentence has one token, its row. They are numbered in the order in which the examples name them; in memory.
  static TokenStore from_rows(std::span<const std::uint32_t> examples, std::size_t roles, std::size_t rows);

  /// Returns the number of sentences.
  std::size_t sentences() const { return image_.offsets.size() - 1; }
  /// Returns the number of tokens of all sentences.
  std::size_t tokens() const { return static_cast<std::size_t>(image_.offsets.back()); }
  /// Returns the number of tokens of one sentence, 1 .. max_tokens.
  std::size_t length(std::uint32_t sentence) const;
  /// Appends the token ids of one sentence to `ids`.
  void append_tokens(std::uint32_t sentence, std::vector<std::uint32_t>& ids) const;

  /// Returns the number of training examples.
  std::size_t examples() const { return image_.roles == 0 ? 0 : image_.example_sentences.size() / image_.roles; }
  /// Sentences of an example: 3 in triples, 2 in pairs, 0 in the store of a plain list.
  std::int64_t roles() const { return static_cast<std::int64_t>(image_.roles); }
  /// Returns the number of an example's sentence; `role` is 0 for the premise, 1 for the hypothesis (entailed, unless
  /// the examples have labels), 2 for the contradicted one.
  std::uint32_t sentence(std::size_t example, std::size_t role) const;
  /// Returns whether the examples have labels and groups: those of ExampleKind::labelled_pairs.
  bool has_labels() const { return !image_.labels.empty(); }
  /// Returns the gold label of an example that has one, as a number: 0 entailment, 1 neutral, 2 contradiction.
  std::uint32_t label(std::size_t example) const;
  /// Returns the group of an example with a label: the lowest number of a sentence with the token ids of its premise,
  /// after the cut to max_tokens. Examples with equal premises share it.
  std::uint32_t group(std::size_t example) const;

  /// Returns the counts of the sentences of each training file (see TrainingCorpus::sentences_of_files), or of the one
  /// list.
  const std::vector<TokenCounts>& token_counts() const { return image_.token_counts; }
  /// Returns the number of sentences that were longer than max_tokens and are cut.
  std::size_t cut_sentences() const;
  const CorpusCounts& counts() const { return image_.counts; }
  /// Returns the messages on lines that were left out, as in ReadReport.
  const std::vector<std::string>& bad_line_messages() const { return image_.bad_line_messages; }
  /// Returns the XXH3-128 of each file, in their order, as 32 hexadecimal digits.
  const std::vector<std::string>& content_hashes() const { return content_hashes_; }
  /// Returns the path under which other processes of the node find the store's memory while the store lives; empty
  /// where they cannot.
  std::string place() const { return memory_.place(); }
  /// Returns true where nothing had to be tokenised.
  bool from_cache() const { return from_cache_; }
  /// Returns warnings on the cache for the user.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Returns the size in memory and on the disk, in bytes.
  std::size_t bytes() const { return memory_.bytes().size(); }

 private:
  TokenStore() = default;
  void take(SealedMemory candidate, const std::string& key);

  SealedMemory memory_;
  TokenImageView image_;
  std::vector<std::string> content_hashes_;
  std::vector<std::string> warnings_;
  bool from_cache_ = false;
};

}  // namespace gausscse
