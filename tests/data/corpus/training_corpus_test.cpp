#include "data/corpus/training_corpus.hpp"

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

std::set<Texts> set_of(const TrainingCorpus& corpus) {
  const auto texts = texts_of(corpus);
  return {texts.begin(), texts.end()};
}

class TrainingCorpusTest : public testing::Test {
 protected:
  TrainingCorpus build(const std::string& text, const CorpusOptions& options = {}) {
    write_bytes(folder_ / "c.jsonl", text);
    return build_training_corpus({folder_ / "c.jsonl"}, options);
  }

  static CorpusOptions all(bool trim = false) { return {BadLines::error, TriplesPerPremise::all, 0, trim}; }

  const TemporaryFolder folder_;
};

TEST_F(TrainingCorpusTest, TakesPremisesWithBothLabelsAndCounts) {
  const TrainingCorpus corpus =
      build(jsonl("entailment", "p", "e1") + jsonl("neutral", "p", "n") + jsonl("contradiction", "p", "c1") +
                jsonl("entailment", "p", "e2") + jsonl("entailment", "p", "e1") + jsonl("entailment", "q", "e1") +
                jsonl("contradiction", "r", "c1") + jsonl("-", "s", "x") + jsonl("-", "p", "e1") +
                jsonl("neutral", "p", "n") + jsonl("contradiction", "p", "p") + jsonl("entailment", " p ", "both") +
                jsonl("contradiction", "p", "both"),
            all(true));
  EXPECT_EQ(texts_of(corpus),
            (std::vector<Texts>{{"p", "e1", "c1"}, {"p", "e1", "p"}, {"p", "e2", "c1"}, {"p", "e2", "p"}}));
  EXPECT_EQ(sentences_of(corpus), (std::vector<std::string>{"p", "e1", "c1", "e2"}));
  CorpusCounts expected;
  expected.pairs = 13;
  expected.without_gold_label = 2;
  expected.duplicates = 2;
  expected.conflicting = 1;
  expected.premises = 4;
  expected.examples = 4;
  expected.sentences = 4;
  EXPECT_EQ(corpus.counts, expected);
}

TEST_F(TrainingCorpusTest, PremisesThatDifferByOuterBlanksAreTwoUnlessTrimmed) {
  const std::string text = jsonl("entailment", "p", "e") + jsonl("contradiction", "p ", "c") +
                           jsonl("contradiction", "p", " c") + jsonl("entailment", "p ", "e");
  EXPECT_EQ(texts_of(build(text, all())), (std::vector<Texts>{{"p", "e", " c"}, {"p ", "e", "c"}}));
  EXPECT_EQ(build(text, all()).counts.premises, 2u);
  EXPECT_EQ(texts_of(build(text, all(true))), (std::vector<Texts>{{"p", "e", "c"}}));
  EXPECT_EQ(build(text, all(true)).counts.premises, 1u);
}

TEST_F(TrainingCorpusTest, TakesTheTrainRowsOfSicksFullRelease) {
  std::string text = "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n";
  for (const char* set : {"TEST", "TRAIN", "TRIAL"}) {
    text += concat("p ", set, "\te ", set, "\tENTAILMENT\tA_entails_B\tB_neutral_A\t", set, "\n");
    text += concat("p ", set, "\tc ", set, "\tCONTRADICTION\tA_contradicts_B\tB_neutral_A\t", set, "\n");
  }
  const TrainingCorpus corpus = build(text);
  EXPECT_EQ(texts_of(corpus), (std::vector<Texts>{{"p TRAIN", "e TRAIN", "c TRAIN"}}));
  EXPECT_EQ(corpus.counts.pairs, 2u);
}

TEST_F(TrainingCorpusTest, ChoosesOneTripleAPremiseWhateverTheOrder) {
  std::vector<std::string> lines;
  for (int p = 0; p < 200; ++p) {
    for (int h = 0; h < 4; ++h) {
      lines.push_back(jsonl("entailment", concat("p", p), concat("e", p, "-", h)));
      lines.push_back(jsonl("contradiction", concat("p", p), concat("c", p, "-", h)));
    }
  }
  const auto joined = [](const std::vector<std::string>& some) {
    std::string text;
    for (const std::string& one : some) text += one;
    return text;
  };
  const TrainingCorpus corpus = build(joined(lines));
  EXPECT_EQ(corpus.counts.examples, 200u);
  const std::set<Texts> chosen = set_of(corpus);
  const std::set<Texts> possible = set_of(build(joined(lines), all()));
  EXPECT_EQ(possible.size(), 200u * 16);
  EXPECT_TRUE(std::includes(possible.begin(), possible.end(), chosen.begin(), chosen.end()));

  std::reverse(lines.begin(), lines.end());
  EXPECT_EQ(set_of(build(joined(lines))), chosen);
  write_bytes(folder_ / "a.jsonl", joined({lines.begin(), lines.begin() + 777}));
  write_bytes(folder_ / "b.jsonl", joined({lines.begin() + 777, lines.end()}));
  EXPECT_EQ(set_of(build_training_corpus({folder_ / "a.jsonl", folder_ / "b.jsonl"}, {})), chosen);
  EXPECT_EQ(set_of(build_training_corpus({folder_ / "b.jsonl", folder_ / "a.jsonl"}, {})), chosen);

  // Another seed chooses again: 1 in 16 stays by chance.
  const std::set<Texts> other = set_of(build(joined(lines), {BadLines::error, TriplesPerPremise::one, 1}));
  std::vector<Texts> same;
  std::set_intersection(chosen.begin(), chosen.end(), other.begin(), other.end(), std::back_inserter(same));
  EXPECT_LT(same.size(), 30u);
  std::map<char, int> by_hypothesis;
  for (const Texts& triple : chosen) ++by_hypothesis[triple[1].back()];
  for (const char h : {'0', '1', '2', '3'}) EXPECT_NEAR(by_hypothesis[h], 50, 22) << h;
}

CorpusOptions every_entailment(std::uint64_t seed = 0) {
  return {BadLines::error, TriplesPerPremise::every_entailment, seed};
}

TEST_F(TrainingCorpusTest, TakesEveryEntailmentWithAContradictedAndANeutralHypothesis) {
  const TrainingCorpus corpus =
      build(jsonl("entailment", "p", "e1") + jsonl("contradiction", "p", "c") + jsonl("neutral", "p", "n") +
                jsonl("entailment", "p", "e2") + jsonl("entailment", "q", "e1") + jsonl("neutral", "q", "m") +
                jsonl("contradiction", "r", "c") + jsonl("neutral", "r", "n") + jsonl("entailment", "s", "e3") +
                jsonl("contradiction", "s", "d") + jsonl("neutral", "s", "d") + jsonl("neutral", "s", "e3") +
                jsonl("entailment", "t", "both") + jsonl("contradiction", "t", "both") + jsonl("-", "t", "x"),
            every_entailment());
  EXPECT_EQ(
      texts_of(corpus),
      (std::vector<Texts>{
          {"p", "e1", "c"}, {"p", "e1", "n"}, {"p", "e2", "c"}, {"p", "e2", "n"}, {"q", "e1", "m"}, {"s", "e3", "d"}}));
  EXPECT_EQ(corpus.counts.premises, 5u);
  EXPECT_EQ(corpus.counts.conflicting, 1u);
  EXPECT_EQ(corpus.counts.examples, 6u);
}

TEST_F(TrainingCorpusTest, DrawsAHypothesisWhereAPremiseHasOnlyEntailments) {
  std::string text = jsonl("neutral", "n", "neutral") + jsonl("contradiction", "c", "contradicted");
  for (int p = 0; p < 300; ++p)
    text += jsonl("entailment", concat("p", p), concat("e", p % 5)) + jsonl("entailment", concat("p", p), "e5");
  const std::vector<Texts> triples = texts_of(build(text, every_entailment()));
  ASSERT_EQ(triples.size(), 600u);
  std::map<std::string, int> drawn;
  for (std::size_t i = 0; i < triples.size(); ++i) {
    EXPECT_EQ(triples[i][0], concat("p", i / 2));
    EXPECT_EQ(triples[i][1], i % 2 == 0 ? concat("e", i / 2 % 5) : "e5");
    EXPECT_NE(triples[i][2], concat("e", i / 2 % 5));
    EXPECT_NE(triples[i][2], "e5");
    ++drawn[triples[i][2]];
  }
  // A premise draws one of six: of neutral, contradicted and the other four of the five.
  EXPECT_EQ(drawn.size(), 7u);
  EXPECT_NEAR(drawn["neutral"], 100, 36);
  EXPECT_NEAR(drawn["contradicted"], 100, 36);
  for (int e = 0; e < 5; ++e) EXPECT_NEAR(drawn[concat("e", e)], 80, 36) << e;

  const std::vector<Texts> other = texts_of(build(text, every_entailment(1)));
  std::size_t same = 0;
  for (std::size_t i = 0; i < triples.size(); ++i) same += triples[i] == other[i];
  EXPECT_NEAR(static_cast<double>(same), 100, 36);
}

TEST_F(TrainingCorpusTest, LeavesOutAnEntailmentWithNothingToDraw) {
  EXPECT_HAS(input_error([&] { build(jsonl("entailment", "p", "e") + jsonl("-", "q", "e"), every_entailment()); }),
             "no triple can be built");
  EXPECT_EQ(texts_of(build(jsonl("entailment", "p", "e") + jsonl("entailment", "q", "f"), every_entailment())),
            (std::vector<Texts>{{"p", "e", "f"}, {"q", "f", "e"}}));
}

TEST_F(TrainingCorpusTest, KeepsTheRowsOfATriplesCsv) {
  write_bytes(folder_ / "t", "sent0,sent1,hard_neg\na,b,c\nb,a,c\na,b,c\na,d,\"c, e\"\n");
  for (const auto& [per_premise, word] : names<TriplesPerPremise>) {
    const TrainingCorpus corpus = build_training_corpus({folder_ / "t"}, {BadLines::error, per_premise, 3});
    EXPECT_EQ(texts_of(corpus),
              (std::vector<Texts>{{"a", "b", "c"}, {"b", "a", "c"}, {"a", "b", "c"}, {"a", "d", "c, e"}}));
    EXPECT_EQ(sentences_of(corpus), (std::vector<std::string>{"a", "b", "c", "d", "c, e"}));
    EXPECT_EQ(corpus.counts.pairs, 4u);
    EXPECT_EQ(corpus.counts.duplicates, 1u);
    EXPECT_EQ(corpus.counts.premises, 2u);
    EXPECT_EQ(corpus.counts.examples, 4u);
    EXPECT_EQ(corpus.counts.sentences, 5u);
  }
}

TEST_F(TrainingCorpusTest, TrimsATriplesCsvIfAskedTo) {
  write_bytes(folder_ / "t", "sent0,sent1,hard_neg\n a,b , c \n");
  EXPECT_EQ(texts_of(build_training_corpus({folder_ / "t"}, all())), (std::vector<Texts>{{" a", "b ", " c "}}));
  EXPECT_EQ(texts_of(build_training_corpus({folder_ / "t"}, all(true))), (std::vector<Texts>{{"a", "b", "c"}}));
}

TEST_F(TrainingCorpusTest, SkipsBadLinesWhereAsked) {
  const std::string text = jsonl("entailment", "p", "e") + "{}\n" + jsonl("contradiction", "p", "c");
  EXPECT_HAS(input_error([&] { build(text); }), "c.jsonl:2: the key \"gold_label\" is missing");
  const TrainingCorpus corpus = build(text, {BadLines::skip, TriplesPerPremise::one, 0});
  EXPECT_EQ(corpus.counts.bad_lines, 1u);
  ASSERT_EQ(corpus.bad_line_messages.size(), 2u);
  EXPECT_EQ(corpus.counts.examples, 1u);
}

TEST_F(TrainingCorpusTest, RefusesWhatGivesNoTriple) {
  const std::string message = input_error(
      [&] { build(jsonl("entailment", "p", "e") + jsonl("-", "p", "x") + jsonl("contradiction", "q", "c")); });
  EXPECT_HAS(message, "no triple can be built from");
  EXPECT_HAS(message, "of 2 premises (3 pairs: 1 entailment, the first in ");
  EXPECT_HAS(message, "c.jsonl:1, 1 contradiction, the first in ");
  EXPECT_HAS(message, "c.jsonl:3, 1 without gold label, the first in ");
  EXPECT_HAS(message, "c.jsonl:2; 0 bad lines skipped) 1 have an entailed one and 1 a contradicted one");
  EXPECT_HAS(input_error([&] {
               build(jsonl("entailment", "p", "e") + jsonl("entailment", "q", "e") + jsonl("entailment", "q", "f") +
                     jsonl("contradiction", "r", "c") + jsonl("neutral", "s", "n") + jsonl("entailment", "t", "e"));
             }),
             "c.jsonl:4; 0 bad lines skipped) 3 have an entailed one and 1 a contradicted one, none has both: give the "
             "whole corpus");
  EXPECT_HAS(input_error([] { build_training_corpus({}, {}); }), "no training file is given");
  EXPECT_HAS(input_error([&] { build(""); }), "the file is empty");
  EXPECT_HAS(input_error([&] { build_training_corpus({folder_ / "none"}, {}); }), "no such file");
  EXPECT_HAS(input_error([&] { build_training_corpus({folder_.path()}, {}); }), "is a folder");
}

TEST_F(TrainingCorpusTest, RefusesToMixTheTwoKinds) {
  write_bytes(folder_ / "t.csv", "sent0,sent1,hard_neg\na,b,c\n");
  write_bytes(folder_ / "n.jsonl", jsonl("entailment", "p", "e"));
  EXPECT_HAS(input_error([&] {
               build_training_corpus({folder_ / "n.jsonl", folder_ / "t.csv"}, {});
             }),
             "mix 1 files of triples with 1 NLI corpora");
  EXPECT_EQ(input_error([&] {
              build_training_corpus({folder_ / "n.jsonl", folder_ / "t.csv", folder_ / "n.jsonl"}, {});
            }),
            concat("the training files mix 1 files of triples with 2 NLI corpora (", (folder_ / "n.jsonl").string(),
                   ", ", (folder_ / "t.csv").string(), ", ", (folder_ / "n.jsonl").string(),
                   "): give only files of triples, or only NLI corpora"));
  write_bytes(folder_ / "u.csv", "anchor,positive,negative\nd,e,f\n");
  const TrainingCorpus both = build_training_corpus({folder_ / "u.csv", folder_ / "t.csv"}, {});
  EXPECT_EQ(sentences_of(both), (std::vector<std::string>{"d", "e", "f", "a", "b", "c"}));
  EXPECT_EQ(both.example_sentences, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST_F(TrainingCorpusTest, TellsWhichSettingsMatter) {
  write_bytes(folder_ / "t.csv", "sent0,sent1,hard_neg\na,b,c\n");
  write_bytes(folder_ / "n.jsonl", jsonl("entailment", "p", "e"));
  const CorpusOptions one{BadLines::skip, TriplesPerPremise::one, 5};
  const CorpusOptions every{BadLines::skip, TriplesPerPremise::all, 5};
  EXPECT_EQ(effective_options({folder_ / "n.jsonl"}, one).seed, 5u);
  EXPECT_EQ(effective_options({folder_ / "n.jsonl"}, every).seed, 0u);
  EXPECT_EQ(effective_options({folder_ / "n.jsonl"}, every).triples_per_premise, TriplesPerPremise::all);
  EXPECT_EQ(effective_options({folder_ / "t.csv"}, every).seed, 0u);
  EXPECT_EQ(effective_options({folder_ / "t.csv"}, every).triples_per_premise, TriplesPerPremise::one);
  EXPECT_EQ(effective_options({folder_ / "t.csv"}, every).bad_lines, BadLines::skip);
}

}  // namespace
}  // namespace gausscse
