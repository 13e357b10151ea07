#include "demo/generator/generated_corpus.hpp"

#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "base/strict_json.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/training_corpus.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::vector<std::string> parts{"train", "dev", "test"};

/// A folder with a generated corpus.
class GeneratedCorpus : public testing::Test {
 protected:
  void generate(const GeneratedCorpusOptions& options, const std::string& folder = "corpus") {
    std::filesystem::remove_all(folder_ / folder);
    write_generated_corpus(folder_ / folder, options);
  }

  std::string text(const std::string& part, const std::string& folder = "corpus") {
    return read_whole_file(folder_ / folder / (part + ".jsonl"), std::uint64_t{1} << 26);
  }

  std::vector<NliPair> pairs(const std::string& part) {
    ReadReport report;
    return read_nli_pairs(folder_ / "corpus" / (part + ".jsonl"), {}, report);
  }

  TemporaryFolder folder_;
};

TEST_F(GeneratedCorpus, IsOfItsSeedAndBeginsWithThatOfFewerPairs) {
  generate({3000, 300, 30, 5});
  generate({1000, 299, 31, 5}, "fewer");
  generate({3000, 300, 30, 6}, "other");
  for (const std::string& part : parts) {
    EXPECT_NE(text(part), text(part, "other")) << part;
    EXPECT_NE(text(part), text(part, "fewer")) << part;
  }
  EXPECT_TRUE(text("train").starts_with(text("train", "fewer")));
  EXPECT_TRUE(text("dev").starts_with(text("dev", "fewer")));
  EXPECT_TRUE(text("test", "fewer").starts_with(text("test")));
}

/// Changes with every change of the rules or the lexicon, and with nothing else.
TEST_F(GeneratedCorpus, IsTheSameOnEveryMachine) {
  generate({3000, 900, 900, 5});
  EXPECT_EQ(content_hash_of(text("train")), "6ff9b0baa07b717de91baf2e6b6f72df");
  EXPECT_EQ(content_hash_of(text("dev")), "75940b94a36526ee6242ef1b78bcee20");
  EXPECT_EQ(content_hash_of(text("test")), "d12e1b3a2d697859f73fc862216d22f7");
}

TEST_F(GeneratedCorpus, HasSnlisLayoutAndEachLabelOfEachPremise) {
  generate({9000, 301, 302, 2});
  for (const auto& [part, count] : {std::pair{"train", 9000u}, {"dev", 301u}, {"test", 302u}}) {
    std::istringstream lines(text(part));
    std::set<std::string> names, firsts;
    std::map<std::string, std::map<std::string, std::string>> captions;
    std::size_t read = 0;
    for (std::string line; std::getline(lines, line); ++read) {
      const nlohmann::json pair = parse_strict_json(line, "line");
      const std::string label = pair.at("gold_label"), caption = pair.at("captionID");
      EXPECT_EQ(pair.size(), 6u);
      EXPECT_EQ(pair.at("annotator_labels"), nlohmann::json::array({label}));
      EXPECT_EQ(caption, concat(part, "-", read / 3));
      EXPECT_EQ(pair.at("pairID"), concat(caption, "r1", label.front()));
      EXPECT_TRUE(captions[caption].emplace(label, pair.at("sentence2")).second);
      EXPECT_NE(pair.at("sentence1"), pair.at("sentence2"));
      if (read % 3 == 0) firsts.insert(label);
    }
    EXPECT_EQ(read, count);
    EXPECT_EQ(firsts, (std::set<std::string>{"contradiction", "entailment", "neutral"})) << "the order changes";
    for (const auto& [caption, hypotheses] : captions) {
      std::set<std::string> texts;
      for (const auto& [label, hypothesis] : hypotheses) texts.insert(hypothesis);
      EXPECT_EQ(texts.size(), hypotheses.size()) << caption;
    }
  }
  const TrainingCorpus corpus = build_training_corpus({folder_ / "corpus" / "train.jsonl"}, {});
  EXPECT_GT(corpus.counts.examples, 2900u);
  EXPECT_EQ(corpus.counts.pairs, 9000u);
}

/// By XXH3's 64 bits of a premise: of 16 about one is of dev, and one of test. So no two files share one.
TEST_F(GeneratedCorpus, PutsAPremiseIntoTheFileOfItsHash) {
  generate({9000, 900, 900, 6});
  std::map<std::string, std::set<std::string>> premises;
  for (const std::string& part : parts)
    for (const NliPair& pair : pairs(part)) {
      const std::uint64_t sixteenth = XXH3_64bits(pair.premise.data(), pair.premise.size()) % 16;
      EXPECT_EQ(part, sixteenth == 0 ? "dev" : sixteenth == 1 ? "test" : "train");
      premises[part].insert(pair.premise);
    }
  EXPECT_GT(premises["train"].size(), 2900u);
}

std::vector<std::string> words_of(const std::string& sentence) {
  std::istringstream in(sentence.substr(0, sentence.size() - 1));
  return {std::istream_iterator<std::string>(in), {}};
}

/// Returns the fault of the sentence; empty if it has none.
std::string fault_of(const std::string& sentence) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (sentence.empty() || sentence.front() < 'A' || sentence.front() > 'Z') return "no capital";
  if (sentence.find('.') != sentence.size() - 1) return "not one full stop, at the end";
  for (const char c : sentence.substr(0, sentence.size() - 1))
    if (!is_letter(c) && c != ' ' && c != '-') return "strange character";
  for (const std::string_view part : {"  ", " .", "not not", "here are a ", "here is two", "he a ", "he an "})
    if (sentence.find(part) != std::string::npos) return std::string(part);
  const std::set<std::string> counts{"two", "three", "four", "five", "some", "several", "many"};
  const std::vector<std::string> words = words_of(sentence);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == words[i + 1]) return "double word";
    const bool an = words[i] == "an" || words[i] == "An";
    if (!an && words[i] != "a" && words[i] != "A") continue;
    const bool vowel =
        std::string_view("aeiou").find(words[i + 1].front()) != std::string_view::npos && words[i + 1] != "useful";
    if (an != vowel) return "article";
    if (counts.contains(words[i + 1])) return "article before a number";
    if (words[i + 1].ends_with('s') && i + 2 < words.size() && words[i + 2] == "are") return "article before a plural";
  }
  return {};
}

TEST_F(GeneratedCorpus, HasWellFormedSentences) {
  generate({12000, 0, 0, 3});
  for (const NliPair& pair : pairs("train")) {
    EXPECT_EQ(fault_of(pair.premise), "") << pair.premise;
    EXPECT_EQ(fault_of(pair.hypothesis), "") << pair.hypothesis;
  }
}

/// Adjectives, places and times are read from the texts. What a true hypothesis says of them, the premise says; each
/// place and time has one form in general words.
TEST_F(GeneratedCorpus, SaysOnlyWhatFollows) {
  const std::vector<std::string> adjectives{"middle-aged", "cheerful", "sad", "blond", "red", "blue", "brown", "wet"};
  generate({12000, 0, 0, 4});
  std::size_t of_adjectives = 0, added = 0, indoors = 0, longer = 0, entailments = 0;
  for (const NliPair& pair : pairs("train")) {
    const std::vector<std::string> said = words_of(pair.premise), words = words_of(pair.hypothesis);
    const auto has = [](const std::vector<std::string>& list, const std::string& word) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    const bool negated = has(words, "not") || has(words, "No") || has(words, "Not");
    for (const std::string& adjective : adjectives) {
      if (!has(words, adjective) || has(said, adjective)) continue;
      if (pair.label == NliLabel::neutral) ++added;
      if (pair.label == NliLabel::entailment) {
        EXPECT_TRUE(negated) << pair.premise << " " << pair.hypothesis;
        ++of_adjectives;
      }
      if (pair.label == NliLabel::contradiction) {
        EXPECT_EQ(words.back(), adjective) << pair.premise << " " << pair.hypothesis;
        ++of_adjectives;
      }
    }
    if (pair.label != NliLabel::entailment) continue;
    ++entailments;
    longer += pair.premise.size() > pair.hypothesis.size();
    EXPECT_FALSE(has(words, "No") || has(words, "Not")) << pair.hypothesis;
    const bool is_inside = says(pair.hypothesis, "indoors") || says(pair.hypothesis, " inside");
    const bool is_outside = says(pair.hypothesis, "outdoors") || says(pair.hypothesis, "outside");
    EXPECT_FALSE(is_inside && is_outside) << pair.hypothesis;
    for (const char* of_outside : {" park", " beach", " street", " harbor", " church", "outdoors", " lake", " river"})
      EXPECT_FALSE(is_inside && !says(pair.hypothesis, "not inside") && says(pair.premise, of_outside))
          << pair.premise << " " << pair.hypothesis;
    indoors += is_inside;
    const bool after_dark = says(pair.hypothesis, "after dark");
    EXPECT_TRUE(!after_dark || says(pair.premise, "at midnight") || says(pair.premise, "after dark")) << pair.premise;
  }
  EXPECT_GT(of_adjectives, 100u);
  EXPECT_GT(added, 200u);
  EXPECT_GT(indoors, 100u);
  // The longer sentence is the premise, but only in some pairs.
  EXPECT_EQ(entailments, 4000u);
  EXPECT_GT(longer, 2200u);
  EXPECT_LT(longer, 3000u);
}

TEST_F(GeneratedCorpus, LeavesOutFilesOfNoPairs) {
  generate({0, 5, 0, 9});
  EXPECT_EQ(pairs("dev").size(), 5u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "corpus"), {}), 1);
}

TEST_F(GeneratedCorpus, IsRefusedAndLeavesNothing) {
  const auto refused = [&](const std::filesystem::path& path, const GeneratedCorpusOptions& options) {
    return refusal_of([&] { write_generated_corpus(path, options); });
  };
  EXPECT_TRUE(says(refused(folder_ / "corpus", {0, 0, 0, 9}), "no pairs are asked for"));
  for (const GeneratedCorpusOptions& many : {GeneratedCorpusOptions{max_generated_pairs + 1, 1, 1},
                                             {1, max_generated_pairs + 1, 1},
                                             {1, 1, max_generated_pairs + 1}})
    EXPECT_TRUE(says(refused(folder_ / "corpus", many), "10000001 pairs are more than the 10000000"));
  EXPECT_TRUE(says(refused(folder_ / "none" / "corpus", {30, 0, 0, 9}), "there is no folder"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  write_bytes(folder_ / "file", "x");
  EXPECT_TRUE(says(refused(folder_ / "file", {30, 0, 0, 9}), "is a file"));
  EXPECT_TRUE(says(refused(folder_.path(), {30, 0, 0, 9}), "not an empty folder"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace gausscse
