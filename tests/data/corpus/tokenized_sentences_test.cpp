#include "data/corpus/tokenized_sentences.hpp"

#include "base/process.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Sentences of which every 1000th is long, in files of 0, 1, 5000, 2048, 4096 and 2049 of them.
struct SentencesOfFiles {
  std::vector<std::string> sentences;
  std::vector<std::size_t> file_ends;

  SentencesOfFiles() {
    for (const std::size_t count : {0, 1, 5000, 2048, 4096, 2049}) {
      for (std::size_t i = 0; i < count; ++i)
        sentences.push_back(concat("sentence ", sentences.size(), i % 1000 == 999 ? " that is cut" : ""));
      file_ends.push_back(sentences.size());
    }
  }

  void give_to(SentenceSink& sink) const {
    std::size_t i = 0;
    for (const std::size_t end : file_ends) {
      for (; i < end; ++i) sink.add(std::string(sentences[i]));
      sink.end_file();
    }
  }
};

TEST(SentenceTokenizer, GivesTheTokensOfEachSentenceInOrderByAnyNumberOfThreads) {
  const SentencesOfFiles files;
  constexpr std::size_t max_tokens = 20;
  const ByteTokenizer tokenizer(70000);
  std::string ids;
  std::vector<std::uint64_t> offsets{0};
  std::vector<TokenCounts> counts(files.file_ends.size());
  for (std::size_t i = 0, file = 0; i < files.sentences.size(); ++i) {
    while (i >= files.file_ends[file]) ++file;
    std::vector<std::uint32_t> of_sentence;
    const bool is_cut = tokenizer.encode(files.sentences[i], max_tokens, of_sentence);
    ids.append(reinterpret_cast<const char*>(of_sentence.data()), of_sentence.size() * sizeof(std::uint32_t));
    offsets.push_back(offsets.back() + of_sentence.size());
    counts[file].add(tokenizer, files.sentences[i], of_sentence, is_cut);
  }
  ASSERT_EQ(counts[2].cut, 5u);
  for (const std::size_t threads : {1, 2, 3, 8}) {
    SentenceTokenizer sentences(tokenizer, max_tokens, threads);
    files.give_to(sentences);
    const TokenizedSentences tokens = sentences.finish();
    std::string found;
    for (const TokenizedSentences::Ids& piece : tokens.ids) found += piece;
    EXPECT_EQ(std::vector<std::uint64_t>(tokens.offsets.begin(), tokens.offsets.end()), offsets) << threads;
    EXPECT_TRUE(found == ids) << threads;
    EXPECT_EQ(tokens.counts, counts) << threads;
  }
}

TEST(SentenceTokenizer, PassesOnWhatTheTokenizerThrowsAtTheEnd) {
  const SentencesOfFiles files;
  const ByteTokenizer tokenizer;
  for (const std::size_t threads : {1, 2, 5}) {
    SentenceTokenizer sentences(tokenizer, 2, threads);
    files.give_to(sentences);
    EXPECT_HAS(input_error([&] { sentences.finish(); }), "max_tokens is under 3");
  }
}

/// As where a file turns out to be bad.
TEST(SentenceTokenizer, EndsItsThreadsWhereItIsLeft) {
  const SentencesOfFiles files;
  const ByteTokenizer tokenizer;
  for (int i = 0; i < 20; ++i) {
    SentenceTokenizer sentences(tokenizer, 20, 4);
    files.give_to(sentences);
  }
}

/// A program that tokenises for long shows signs of life.
TEST(TokenizedSentences, CountWork) {
  const std::vector<std::string> sentences(1100, "a sentence");
  const std::uint64_t before = work_count();
  const TokenizedSentences tokens = tokenize_sentences(sentences, ByteTokenizer(), 14, 1);
  EXPECT_EQ(tokens.offsets.size(), 1101u);
  EXPECT_EQ(work_count(), before + 4) << "once for 256 sentences";
}

}  // namespace
}  // namespace gausscse
