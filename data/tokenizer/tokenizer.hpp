#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// A length in tokens that a model folder limits sentences to, and that this program does not apply by itself.
struct TokenLimit {
  std::string setting;  ///< file and key: "minilm/sentence_bert_config.json: max_seq_length"
  std::string program;  ///< the one that cuts sentences there
  std::size_t tokens = 0;
};

/// Counts over the tokens of a sentence, special tokens left out.
struct UnknownTokens {
  std::uint64_t tokens = 0;
  std::uint64_t unknown = 0;  ///< number of them that represent text which the vocabulary lacks
};

/// Turns sentences into token ids, as the `tokenizers` library does. Any number of threads may use one at once. Each
/// thread keeps the words that it met last, of all tokenizers, in 4 MiB (`word_cache.hpp`).
class Tokenizer {
 public:
  virtual ~Tokenizer();

  /// Appends the token ids of `sentence` to `ids`, special tokens included ([CLS] ... [SEP], <s> ... </s>), at most
  /// `max_tokens` of them: what is too much is cut from the end of the sentence, or from its beginning where the folder
  /// says so; the special tokens stay. Bytes that are not UTF-8 count as U+FFFD, as Python's `bytes.decode("utf-8",
  /// "replace")` has it. Returns true if the sentence was cut. A subword tokenizer gives one id or more, regardless of
  /// the sentence. Throws InputError if `max_tokens` is under 3 or leaves no room besides the special tokens.
  virtual bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const = 0;

  /// Returns the number of ids: the largest id + 1. Every id that `encode` gives is below it.
  virtual std::size_t vocabulary_size() const = 0;

  /// Returns the string of each id [vocabulary_size], as the files have it: "##ing", or "Ġthe" in the byte-level
  /// alphabet. Empty for an id that has none.
  virtual std::vector<std::string> tokens() const = 0;

  /// Returns the XXH3-128, as 32 hexadecimal digits, over everything that decides the ids: the files' contents. A cache
  /// key.
  virtual const std::string& fingerprint() const = 0;

  /// Returns the files of the model folder that belong to the tokenizer, to be copied next to a saved model. Empty
  /// where the tokenizer was made from memory.
  virtual const std::vector<std::filesystem::path>& files() const = 0;

  /// Returns whether sentences lose their capital letters first, as sentence_bert_config.json may ask for.
  virtual bool lowers_sentences() const { return false; }

  /// Warnings of entries on token ids in the folder's files that are not applied.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// Limits that the folder's files name.
  virtual std::vector<TokenLimit> limits() const { return {}; }

  /// Returns the number of tokens of the longest sentence so far, as it was cut.
  virtual std::size_t longest_sentence() const { return 0; }

  /// Returns the counts of one sentence's ids, as `encode` gave them; zeros where no token can be unknown.
  virtual UnknownTokens count_unknown(std::span<const std::uint32_t> /*ids*/) const { return {}; }
};

/// Returns a warning for each limit of the folder that is below `longest` tokens, where sentences are cut to
/// `max_tokens`.
std::vector<std::string> exceeded_limits(const Tokenizer& tokenizer, std::size_t longest, std::size_t max_tokens);

/// Opens the tokenizer of a Hugging Face model folder: WordPiece (BERT), byte-level BPE (RoBERTa, ModernBERT) or
/// Unigram (XLM-RoBERTa). It is read from `tokenizer.json` where there is one, else from `vocab.txt`, or `vocab.json`
/// and `merges.txt`. Settings are those of `tokenizer_config.json` and `special_tokens_map.json`. Throws InputError for
/// an entry that is missing or not understood.
std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& folder);

/// The contents of a model folder's tokenizer files, from a disk or from memory.
struct TokenizerFiles {
  /// Folder of the files; only messages and `Tokenizer::files()` use it. Empty for files in memory.
  std::filesystem::path folder;
  /// File name (`tokenizer.json`, `vocab.txt`, `vocab.json`, `merges.txt`, `tokenizer_config.json`,
  /// `special_tokens_map.json`, `added_tokens.json`, and `sentence_bert_config.json`, which is sentence-transformers')
  /// to content. Files that do not exist have no entry.
  std::map<std::string, std::string> contents;

  /// Returns the content of file `name`, or nullptr.
  const std::string* find(const std::string& name) const;
  /// Returns the path of file `name` as messages show it.
  std::string source_name(const std::string& name) const;
};

/// Reads the tokenizer files that `folder` holds. Throws InputError where the folder or a file cannot be read.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder);

/// Builds the tokenizer that `files` describe; throws InputError as `open_tokenizer` does.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerFiles& files);

}  // namespace gausscse
