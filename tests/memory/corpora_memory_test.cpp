#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/corpus/token_store.hpp"
#include "data/corpus/training_corpus.hpp"
#include "data/sts/semeval_year.hpp"
#include "data/sts/sts_file.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/word_vectors/word_vectors.hpp"
#include "tests/data/tokenizer/small_tokenizers.hpp"
#include "tests/memory/refused_memory.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string text_of(const TrainingCorpus& corpus) {
  std::string text = concat(corpus.roles, " roles, ", corpus.counts.examples, " examples, ", corpus.counts.duplicates,
                            " duplicates, ", corpus.counts.bad_lines, " bad lines\n");
  for (std::uint32_t i = 0; i < corpus.sentences.size(); ++i) text += concat(corpus.sentences[i], "\n");
  for (const std::uint32_t sentence : corpus.example_sentences) text += concat(sentence, " ");
  for (const std::uint32_t label : corpus.labels) text += concat("label ", label, " ");
  for (const std::string& message : corpus.bad_line_messages) text += message + "\n";
  return text;
}

std::string text_of(const std::vector<StsPair>& pairs) {
  std::string text;
  for (const StsPair& pair : pairs) text += concat(pair.first, "\t", pair.second, "\t", pair.score, "\n");
  return text;
}

void expect_clean_corpora(const std::filesystem::path& file, const CorpusOptions& options) {
  expect_clean_refusals([&] { return build_training_corpus({file}, options); },
                        [](const TrainingCorpus& corpus) { return text_of(corpus); });
}

TEST(RefusedMemory, OfTriplesCsv) {
  expect_clean_corpora(golden("training/train.csv"), {});
}

TEST(RefusedMemory, OfNliJsonl) {
  expect_clean_corpora(golden("training/dev.jsonl"), {.examples = ExampleKind::entailment_pairs});
  expect_clean_corpora(golden("training/pairs.jsonl"), {.examples = ExampleKind::labelled_pairs});
}

TEST(RefusedMemory, OfBadLinesAndTheirMessages) {
  const TemporaryFolder folder;
  write_bytes(folder / "bad.jsonl",
              "{\"gold_label\": \"entailment\", \"sentence1\": \"a long premise\", \"sentence2\": \"hypothesis\"}\n"
              "{oops\n{\"gold_label\": \"maybe\", \"sentence1\": \"a\", \"sentence2\": \"b\"}\n"
              "{\"gold_label\": \"contradiction\", \"sentence1\": \"a long premise\", \"sentence2\": \"another\"}\n");
  expect_clean_corpora(folder / "bad.jsonl", {.bad_lines = BadLines::skip});
  write_bytes(folder / "bad.csv",
              "sent0,sent1,hard_neg\na,b\n\"a \"\"quoted\"\" premise\",entailed,contradicted\na,,c\n");
  expect_clean_corpora(folder / "bad.csv", {.bad_lines = BadLines::skip});
}

TEST(RefusedMemory, OfTabSeparatedNli) {
  const std::string snli =
      "gold_label\tsentence1\tsentence2\nentailment\tA man walks in the park.\tA man walks.\nneutral\ta\tb\n";
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n"
      "1\tA man walks in the park.\tA man walks.\tENTAILMENT\tA_entails_B\tB_neutral_A\tTRAIN\n";
  for (const std::string& text : {snli, sick}) {
    expect_clean_refusals(
        [&] {
          std::vector<NliPair> pairs;
          ReadReport report;
          MemorySource source(text);
          for_each_nli_pair(source, "corpus", {}, report, [&](NliPair&& pair) { pairs.push_back(std::move(pair)); });
          return pairs;
        },
        [](const std::vector<NliPair>& pairs) {
          std::string read;
          for (const NliPair& pair : pairs)
            read += concat(pair.premise, "\t", pair.hypothesis, "\t", static_cast<int>(pair.label), "\n");
          return read;
        });
  }
}

TEST(RefusedMemory, OfSts) {
  const auto print = [](const std::vector<StsPair>& pairs) { return text_of(pairs); };
  const std::string benchmark =
      "main-captions\tMSRvid\t2012test\t0001\t5.000\tA plane is taking off.\tAn air plane is taking off.\n"
      "main-captions\tMSRvid\t2012test\t0004\t3.800\tA man is playing a large flute.\tA man plays a flute.\n";
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
      "1\tA man walks in the park.\tA man walks.\t4.5\tENTAILMENT\n";
  for (const std::string& text : {benchmark, sick})
    expect_clean_refusals(
        [&] {
          MemorySource source(text);
          ReadReport report;
          return read_sts_pairs(source, "sts", BadLines::error, report);
        },
        print);
  expect_clean_refusals(
      [&] {
        MemorySource pairs("A plane is taking off.\tAn air plane is taking off.\nA man walks.\tA man runs.\n");
        MemorySource scores("4.75\n1\n");
        ReadReport report;
        return read_scored_pairs(pairs, "STS.input.x.txt", scores, "STS.gs.x.txt", BadLines::error, report);
      },
      print);
}

std::string text_of(const TokenStore& store) {
  std::string text = concat(store.examples(), " examples of ", store.roles(), ", cut ", store.cut_sentences(), "\n");
  for (std::uint32_t i = 0; i < store.sentences(); ++i) {
    std::vector<std::uint32_t> ids;
    store.append_tokens(i, ids);
    for (const std::uint32_t id : ids) text += concat(id, " ");
    text += "\n";
  }
  for (std::size_t i = 0; i < store.examples(); ++i)
    for (std::size_t role = 0; role < static_cast<std::size_t>(store.roles()); ++role)
      text += concat(store.sentence(i, role), " ");
  for (const std::string& hash : store.content_hashes()) text += hash;
  return text;
}

TEST(RefusedMemory, OfWordVectors) {
  const TemporaryFolder folder;
  write_bytes(folder / "vectors.txt", "3 2\na_word_that_is_long_enough 0.5 1e-50\nb 1 2\nb 3 4 \n");
  const auto print = [](const WordVectors& vectors) {
    std::string text = vectors.content_hash();
    for (std::uint32_t i = 0; i < vectors.words(); ++i)
      text += concat(vectors.word(i), " ", vectors.find(vectors.word(i)).value(), "\n");
    for (std::uint32_t i = 0; i < vectors.words(); ++i)
      for (const float value : vectors.row(i)) text += concat(value, " ");
    return text;
  };
  expect_clean_refusals([&] { return WordVectors(folder / "vectors.txt"); }, print);
}

/// Built without a cache, and as an image read from one, which is not taken for a damaged one.
TEST(RefusedMemory, OfTokenImages) {
  const TemporaryFolder folder;
  const auto tokenizer = make_tokenizer(small_word_piece_files());
  const std::vector<std::filesystem::path> files{golden("training/train.csv")};
  TokenStoreOptions options;
  options.max_tokens = 6;
  const auto open = [&] { return TokenStore::open_or_build(files, *tokenizer, options); };
  expect_clean_refusals(open, [](const TokenStore& store) { return text_of(store); });
  options.cache_folder = folder / "cache";
  open();
  expect_clean_refusals(open, [](const TokenStore& store) {
    return text_of(store) + (store.from_cache() ? " from the cache" : "") + (store.warnings().empty() ? "" : " warned");
  });
}

}  // namespace
}  // namespace gausscse
