#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "base/strict_json.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/training_corpus.hpp"
#include "demo/generator/generated_corpus.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::vector<GeneratedPair> generate(std::uint64_t pairs, std::uint64_t seed, CorpusPart part = CorpusPart::train) {
  std::vector<GeneratedPair> generated;
  generate_nli_pairs({pairs, seed, part}, [&](const GeneratedPair& pair) { generated.push_back(pair); });
  return generated;
}

std::string text_of(std::uint64_t pairs, std::uint64_t seed, CorpusPart part = CorpusPart::train) {
  std::string text;
  for (const GeneratedPair& pair : generate(pairs, seed, part)) text += snli_json_line(pair);
  return text;
}

TEST(NliGenerator, SameSeedSameText) {
  const std::string text = text_of(3000, 5);
  EXPECT_EQ(text_of(3000, 5), text);
  EXPECT_NE(text_of(3000, 6), text);
  EXPECT_TRUE(text.starts_with(text_of(1000, 5))) << "fewer pairs are the first of more";
  EXPECT_EQ(generate(0, 5).size(), 0u);
}

TEST(NliGenerator, SameTextOnEveryMachine) {
  // Changes with every change of the grammar or the lexicon, and with nothing else.
  EXPECT_EQ(content_hash_of(text_of(3000, 5)), "de1ea1c870a1ef60cef01e8d98b54545");
  EXPECT_EQ(content_hash_of(text_of(900, 5, CorpusPart::dev)), "2d7dfa11aca3ea69543737d34391945d");
  EXPECT_EQ(content_hash_of(text_of(900, 5, CorpusPart::test)), "1f63e5b50bcdbc490e0313ef521f6f30");
}

TEST(NliGenerator, WritesSnlisLayout) {
  const auto pairs = generate(600, 1);
  std::string text;
  std::set<std::string> pair_ids;
  for (const GeneratedPair& pair : pairs) {
    const std::string line = snli_json_line(pair);
    ASSERT_TRUE(line.ends_with("}\n"));
    const nlohmann::json parsed = parse_strict_json(line, "line");
    EXPECT_EQ(parsed.size(), 6u);
    EXPECT_EQ(parsed["sentence1"], pair.pair.premise);
    EXPECT_EQ(parsed["sentence2"], pair.pair.hypothesis);
    EXPECT_EQ(parsed["annotator_labels"], nlohmann::json::array({parsed["gold_label"]}));
    EXPECT_EQ(parsed["captionID"], pair.caption_id);
    EXPECT_TRUE(pair_ids.insert(parsed["pairID"]).second);
    text += line;
  }
  MemorySource source(text);
  ReadReport report;
  std::size_t at = 0;
  for_each_nli_pair(source, "generated", {}, report, [&](NliPair&& pair) {
    EXPECT_EQ(pair.premise, pairs[at].pair.premise);
    EXPECT_EQ(pair.hypothesis, pairs[at].pair.hypothesis);
    EXPECT_EQ(pair.label, pairs[at].pair.label);
    ++at;
  });
  EXPECT_EQ(at, 600u);
}

TEST(NliGenerator, EveryPremiseHasEachLabelOnce) {
  std::map<std::string, std::map<NliLabel, std::string>> by_caption;
  for (const GeneratedPair& pair : generate(3000, 2)) {
    const bool is_new = by_caption[pair.caption_id].emplace(pair.pair.label, pair.pair.hypothesis).second;
    EXPECT_TRUE(is_new);
    EXPECT_NE(pair.pair.hypothesis, pair.pair.premise);
  }
  EXPECT_EQ(by_caption.size(), 1000u);
  for (const auto& [caption, hypotheses] : by_caption) {
    EXPECT_EQ(hypotheses.size(), 3u);
    std::set<std::string> texts;
    for (const auto& [label, text] : hypotheses) texts.insert(text);
    EXPECT_EQ(texts.size(), 3u) << caption;
  }
}

std::vector<std::string> words_of(const std::string& sentence) {
  std::istringstream in(sentence);
  return {std::istream_iterator<std::string>(in), {}};
}

bool begins_with_vowel_sound(const std::string& word) {
  return std::string_view("aeiou").find(word.front()) != std::string_view::npos && !word.starts_with("use");
}

const std::set<std::string> quantifiers{"two",  "three", "four",    "five", "six", "seven", "eight",
                                        "nine", "some",  "several", "many", "all", "most"};

/// Returns the fault of the sentence; empty if it has none.
std::string fault_of(const std::string& sentence) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (sentence.empty() || sentence.front() < 'A' || sentence.front() > 'Z') return "no capital";
  if (sentence.find('.') != sentence.size() - 1) return "not one full stop, at the end";
  for (const char c : sentence.substr(0, sentence.size() - 1)) {
    if (!is_letter(c) && c != ' ' && c != '-') return "strange character";
  }
  for (const std::string_view pair : {"  ", " .", "not not", "here are a ", "here are an ", "here is two"}) {
    if (sentence.find(pair) != std::string::npos) return std::string(pair);
  }
  const std::vector<std::string> words = words_of(sentence);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == words[i + 1]) return "double word";
    const bool an = words[i] == "an" || words[i] == "An";
    if (!an && words[i] != "a" && words[i] != "A") continue;
    if (an != begins_with_vowel_sound(words[i + 1])) return "article";
    if (quantifiers.contains(words[i + 1])) return "article before a quantifier";
    if (words[i + 1].ends_with('s') && i + 2 < words.size() && words[i + 2] == "are") return "article before a plural";
  }
  return {};
}

TEST(NliGenerator, SentencesAreWellFormed) {
  for (const GeneratedPair& pair : generate(30000, 3)) {
    EXPECT_EQ(fault_of(pair.pair.premise), "") << pair.pair.premise;
    EXPECT_EQ(fault_of(pair.pair.hypothesis), "") << pair.pair.hypothesis;
  }
}

TEST(NliGenerator, LengthTellsTheDirectionOnlySometimes) {
  std::size_t entailments = 0;
  std::size_t premise_longer = 0;
  std::set<std::string> premises;
  for (const GeneratedPair& pair : generate(60000, 4)) {
    premises.insert(pair.pair.premise);
    if (pair.pair.label != NliLabel::entailment) continue;
    ++entailments;
    premise_longer += pair.pair.premise.size() > pair.pair.hypothesis.size();
  }
  EXPECT_EQ(entailments, 20000u);
  const double baseline = static_cast<double>(premise_longer) / 20000;
  EXPECT_GT(baseline, 0.70);
  EXPECT_LT(baseline, 0.80);
  EXPECT_GT(premises.size(), 19700u);
}

TEST(NliGenerator, PartsShareNoPremise) {
  std::set<std::string> seen;
  std::size_t shared = 0;
  for (const CorpusPart part : {CorpusPart::train, CorpusPart::dev, CorpusPart::test}) {
    std::set<std::string> premises;
    for (const GeneratedPair& pair : generate(9000, 5, part)) premises.insert(pair.pair.premise);
    EXPECT_GT(premises.size(), 2900u);
    for (const std::string& premise : premises) shared += !seen.insert(premise).second;
  }
  EXPECT_EQ(shared, 0u);
}

/// By XXH3's 64 bits: of 16 premises about one is of dev, and one of test.
TEST(NliGenerator, TheHashOfAPremiseTellsItsPart) {
  const auto sixteenth = [](const std::string& premise) { return XXH3_64bits(premise.data(), premise.size()) % 16; };
  for (const GeneratedPair& pair : generate(900, 6, CorpusPart::dev)) EXPECT_EQ(sixteenth(pair.pair.premise), 0u);
  for (const GeneratedPair& pair : generate(900, 6, CorpusPart::test)) EXPECT_EQ(sixteenth(pair.pair.premise), 1u);
  for (const GeneratedPair& pair : generate(900, 6)) EXPECT_GT(sixteenth(pair.pair.premise), 1u);
  EXPECT_EQ(generate(4, 6, CorpusPart::dev).back().caption_id, "dev-1");
  EXPECT_EQ(generate(4, 6, CorpusPart::test).back().caption_id, "test-1");
  EXPECT_EQ(generate(4, 6).back().caption_id, "train-1");
}

TEST(NliGenerator, RefusesTooMany) {
  std::size_t given = 0;
  EXPECT_THROW(generate_nli_pairs({max_generated_pairs + 1, 0, CorpusPart::train}, [&](const auto&) { ++given; }),
               InputError);
  EXPECT_EQ(given, 0u);
}

TEST(GeneratedCorpus, WritesThreeFilesToTrainOn) {
  const TemporaryFolder folder;
  write_generated_corpus(folder / "corpus", {3000, 300, 301, 9});
  const std::map<std::string, std::size_t> expected{{"train.jsonl", 3000}, {"dev.jsonl", 300}, {"test.jsonl", 301}};
  std::set<std::string> premises;
  std::size_t distinct = 0;
  for (const auto& [name, pairs] : expected) {
    ReadReport report;
    std::set<std::string> own;
    for (const NliPair& pair : read_nli_pairs(folder / "corpus" / name, {}, report)) own.insert(pair.premise);
    EXPECT_EQ(report.pairs, pairs);
    distinct += own.size();
    premises.merge(own);
  }
  EXPECT_EQ(premises.size(), distinct);
  const TrainingCorpus corpus = build_training_corpus({folder / "corpus" / "train.jsonl"}, {});
  EXPECT_GT(corpus.counts.examples, 980u);
  EXPECT_EQ(corpus.counts.pairs, 3000u);
}

TEST(GeneratedCorpus, HoldsThePairsOfItsPartAndSeed) {
  const TemporaryFolder folder;
  write_generated_corpus(folder / "corpus", {30, 9, 12, 8});
  const auto expect = [&](const char* name, std::uint64_t pairs, CorpusPart part) {
    std::string lines;
    generate_nli_pairs({pairs, 8, part}, [&](const GeneratedPair& pair) { lines += snli_json_line(pair); });
    EXPECT_EQ(read_whole_file(folder / "corpus" / name, 1 << 20), lines) << name;
  };
  expect("train.jsonl", 30, CorpusPart::train);
  expect("dev.jsonl", 9, CorpusPart::dev);
  expect("test.jsonl", 12, CorpusPart::test);
}

TEST(GeneratedCorpus, LeavesOutFilesOfNoPairs) {
  const TemporaryFolder folder;
  write_generated_corpus(folder / "corpus", {30, 0, 0, 9});
  EXPECT_TRUE(std::filesystem::exists(folder / "corpus" / "train.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder / "corpus" / "dev.jsonl"));
}

TEST(GeneratedCorpus, RefusesAndLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_generated_corpus(folder / "corpus", {0, 0, 0, 9}), InputError);
  EXPECT_THROW(write_generated_corpus(folder / "corpus", {30, 0, max_generated_pairs + 1, 9}), InputError);
  EXPECT_THROW(write_generated_corpus(folder / "none" / "corpus", {30, 0, 0, 9}), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_bytes(folder / "file", "x");
  EXPECT_THROW(write_generated_corpus(folder / "file", {30, 0, 0, 9}), InputError);
  EXPECT_THROW(write_generated_corpus(folder.path(), {30, 0, 0, 9}), InputError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace gausscse
