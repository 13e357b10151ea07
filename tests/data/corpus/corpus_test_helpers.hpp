#pragma once

#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/training_corpus.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns the message of the InputError that `call` must throw.
inline std::string input_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

/// Returns all pairs of a corpus, as one list.
inline std::vector<NliPair> read_nli_pairs(const std::filesystem::path& path, const ReadOptions& options,
                                           ReadReport& report) {
  std::vector<NliPair> pairs;
  for_each_nli_pair(path, options, report, [&](NliPair&& pair) { pairs.push_back(std::move(pair)); });
  return pairs;
}

/// Returns a line as SNLI and MNLI have them; nothing is escaped.
inline std::string jsonl(std::string_view label, std::string_view premise, std::string_view hypothesis) {
  return concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", premise, R"(", "sentence2": ")", hypothesis,
                "\"}\n");
}

/// Returns the distinct sentences of a corpus, in the order of their numbers.
inline std::vector<std::string> sentences_of(const TrainingCorpus& corpus) {
  std::vector<std::string> sentences;
  for (std::uint32_t i = 0; i < corpus.sentences.size(); ++i) sentences.emplace_back(corpus.sentences[i]);
  return sentences;
}

/// Returns the sentences of each example, in the order of its roles.
inline std::vector<std::vector<std::string>> texts_of(const TrainingCorpus& corpus) {
  const std::vector<std::string> sentences = sentences_of(corpus);
  std::vector<std::vector<std::string>> texts(corpus.example_sentences.size() / corpus.roles);
  for (std::size_t i = 0; i < corpus.example_sentences.size(); ++i) {
    texts[i / corpus.roles].push_back(sentences.at(corpus.example_sentences[i]));
  }
  return texts;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

/// A token a byte, 1 in front and 2 behind; `vocabulary_size` only decides the width of ids.
class ByteTokenizer final : public Tokenizer {
 public:
  explicit ByteTokenizer(std::size_t vocabulary_size = 300, std::uint32_t first_id = 3)
      : vocabulary_size_(vocabulary_size), first_id_(first_id), fingerprint_(32, vocabulary_size > 65536 ? 'b' : 'a') {}

  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override {
    if (max_tokens < 3) throw InputError("max_tokens is under 3");
    const bool cut = sentence.size() + 2 > max_tokens;
    ids.push_back(1);
    for (const char c : sentence.substr(0, max_tokens - 2)) ids.push_back(first_id_ + static_cast<unsigned char>(c));
    ids.push_back(2);
    return cut;
  }
  std::size_t vocabulary_size() const override { return vocabulary_size_; }
  std::vector<std::string> tokens() const override {
    std::vector<std::string> tokens(vocabulary_size_);
    tokens.at(1) = "[CLS]";
    tokens.at(2) = "[SEP]";
    for (std::uint32_t byte = 0; byte < 256; ++byte) tokens.at(first_id_ + byte) = static_cast<char>(byte);
    return tokens;
  }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::filesystem::path>& files() const override { return files_; }

 private:
  std::size_t vocabulary_size_;
  std::uint32_t first_id_;
  std::string fingerprint_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace gausscse
