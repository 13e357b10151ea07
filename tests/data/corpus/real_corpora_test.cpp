#include "data/corpus/token_store.hpp"
#include "data/corpus/training_corpus.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Expected {
  std::string file;
  std::string sick_set;
  std::size_t pairs, entailments, neutrals, contradictions, none;
};

TEST(RealCorpora, HaveTheirPublishedCounts) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const std::vector<Expected> corpora{
      {"snli_1.0-original-sample/snli_1.0_dev.jsonl", "", 1289, 433, 421, 419, 16},
      {"snli_1.0-original-sample/snli_1.0_test.jsonl", "", 1277, 405, 429, 420, 23},
      {"snli_1.0-subset/snli_1.0_train.jsonl", "", 75813, 25249, 25126, 25438, 0},
      {"snli_1.0-subset/snli_1.0_dev.jsonl", "", 9840, 3327, 3235, 3278, 0},
      {"snli_1.0-subset/snli_1.0_test.jsonl", "TEST", 9824, 3368, 3219, 3237, 0},
      {"multinli_1.0-subset/multinli_1.0_dev_matched.jsonl", "", 9814, 3478, 3123, 3213, 0},
      {"multinli_1.0-subset/multinli_1.0_dev_mismatched.jsonl", "", 1000, 350, 316, 334, 0},
      {"SICK/SICK.txt", "", 9840, 2821, 5595, 1424, 0},
      {"SICK/SICK.txt", "TEST", 4906, 1404, 2790, 712, 0},
      {"SICK/SICK_test_annotated.txt", "", 4927, 1414, 2793, 720, 0},
      {"SICK/SICK_train.txt", "TEST", 4500, 1299, 2536, 665, 0},
      {"SICK/SICK_trial.txt", "", 500, 144, 282, 74, 0},
  };
  for (const Expected& expected : corpora) {
    ReadReport report;
    const auto pairs = read_nli_pairs(real_data() / expected.file, {BadLines::error, expected.sick_set}, report);
    std::map<NliLabel, std::size_t> counts;
    for (const NliPair& pair : pairs) ++counts[pair.label];
    EXPECT_EQ(pairs.size(), expected.pairs) << expected.file;
    EXPECT_EQ(report.pairs, expected.pairs);
    EXPECT_EQ(report.pairs_with(NliLabel::none), expected.none);
    EXPECT_EQ(counts[NliLabel::entailment], expected.entailments) << expected.file;
    EXPECT_EQ(counts[NliLabel::neutral], expected.neutrals) << expected.file;
    EXPECT_EQ(counts[NliLabel::contradiction], expected.contradictions) << expected.file;
    EXPECT_EQ(counts[NliLabel::none], expected.none) << expected.file;
  }
}

TEST(RealCorpora, SickTellsTwoWayPairs) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  ReadReport report;
  const auto pairs = read_nli_pairs(real_data() / "SICK" / "SICK.txt", {BadLines::error, "TEST"}, report);
  std::size_t both_ways = 0;
  for (const NliPair& pair : pairs) both_ways += pair.entails_both_ways;
  EXPECT_EQ(both_ways, 610u);
}

/// Every pair of a premise, by a map.
TEST(RealCorpora, TriplesOfRawCorporaAreAsABruteForceFindsThem) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const std::vector<std::filesystem::path> files{real_data() / "snli_1.0-subset" / "snli_1.0_train.jsonl",
                                                 real_data() / "multinli_1.0-subset" / "multinli_1.0_train.jsonl"};
  std::map<std::string, std::map<NliLabel, std::set<std::string>>> hypotheses;
  for (const auto& file : files) {
    ReadReport report;
    for (const NliPair& pair : read_nli_pairs(file, {}, report))
      hypotheses[pair.premise][pair.label].insert(pair.hypothesis);
  }
  std::set<std::vector<std::string>> expected;
  std::set<std::string> with_triple;
  for (auto& [premise, by_label] : hypotheses) {
    for (const auto& entailed : by_label[NliLabel::entailment]) {
      for (const auto& contradicted : by_label[NliLabel::contradiction]) {
        expected.insert({premise, entailed, contradicted});
        with_triple.insert(premise);
      }
    }
  }
  const auto set_of = [](const TrainingCorpus& corpus) {
    const auto texts = texts_of(corpus);
    return std::set<std::vector<std::string>>(texts.begin(), texts.end());
  };
  const TrainingCorpus all = build_training_corpus(files, {BadLines::error, TriplesPerPremise::all, 0});
  EXPECT_EQ(all.counts.examples, 15167u);
  EXPECT_EQ(set_of(all), expected);
  EXPECT_EQ(build_training_corpus(files, {BadLines::error, TriplesPerPremise::all, 0, true}).counts.examples, 15170u);
  const TrainingCorpus one = build_training_corpus(files, {});
  EXPECT_EQ(one.counts.pairs, 115487u);
  EXPECT_EQ(one.counts.premises, 84717u);
  EXPECT_EQ(one.counts.examples, 10325u);
  EXPECT_EQ(one.counts.duplicates, 0u);
  std::set<std::string> premises;
  for (const auto& triple : set_of(one)) {
    EXPECT_TRUE(expected.contains(triple));
    premises.insert(triple[0]);
  }
  EXPECT_EQ(premises, with_triple);

  // Every entailed pair, twice where the premise has both other labels; a drawn hypothesis is not entailed.
  const TrainingCorpus every = build_training_corpus(files, {BadLines::error, TriplesPerPremise::every_entailment, 0});
  std::multiset<std::vector<std::string>> pairs, found;
  for (auto& [premise, by_label] : hypotheses) {
    const auto& entailed = by_label[NliLabel::entailment];
    const auto& neutral = by_label[NliLabel::neutral];
    const auto& contradicted = by_label[NliLabel::contradiction];
    for (const auto& hypothesis : entailed) {
      if (contradicted.contains(hypothesis)) continue;
      const auto is_other = [&](const std::string& text) { return !entailed.contains(text); };
      const bool has_contradicted = std::any_of(contradicted.begin(), contradicted.end(), is_other);
      const bool has_neutral = std::any_of(neutral.begin(), neutral.end(), [&](const std::string& text) {
        return is_other(text) && !contradicted.contains(text);
      });
      for (int i = 0; i < std::max(1, has_contradicted + has_neutral); ++i) pairs.insert({premise, hypothesis});
    }
  }
  for (const auto& triple : texts_of(every)) {
    found.insert({triple[0], triple[1]});
    EXPECT_FALSE(hypotheses[triple[0]][NliLabel::entailment].contains(triple[2]));
  }
  EXPECT_EQ(found, pairs);
}

TEST(RealCorpora, EntailmentPairsAreAllThatAreLabelledSo) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const std::vector<std::filesystem::path> files{real_data() / "snli_1.0-subset" / "snli_1.0_train.jsonl",
                                                 real_data() / "multinli_1.0-subset" / "multinli_1.0_train.jsonl"};
  const std::vector<std::size_t> numbers{25249, 13357};
  CorpusOptions options;
  options.examples = ExampleKind::entailment_pairs;
  std::vector<std::vector<std::string>> expected;
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(build_training_corpus({files[i]}, options).counts.examples, numbers[i]) << files[i];
    ReadReport report;
    for (const NliPair& pair : read_nli_pairs(files[i], {}, report)) {
      if (pair.label == NliLabel::entailment) expected.push_back({pair.premise, pair.hypothesis});
    }
  }
  const TrainingCorpus corpus = build_training_corpus(files, options);
  EXPECT_EQ(corpus.counts.examples, numbers[0] + numbers[1]);
  EXPECT_EQ(texts_of(corpus), expected);
  std::set<std::string> premises;
  for (const auto& pair : expected) premises.insert(pair[0]);
  EXPECT_EQ(corpus.counts.premises, premises.size());
  const std::set<std::vector<std::string>> distinct(expected.begin(), expected.end());
  EXPECT_EQ(corpus.counts.duplicates, expected.size() - distinct.size());

  const std::filesystem::path csv = real_data() / "triples" / "nli_for_simcse-subset.csv";
  EXPECT_EQ(build_training_corpus({csv}, options).counts.examples, 10325u);
}

TEST(RealCorpora, LabelledPairsAreAllWithAGoldLabel) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto expect_counts = [](const std::string& file, std::size_t examples, std::size_t premises, std::size_t none,
                                const std::map<std::uint32_t, std::size_t>& of_labels) {
    CorpusOptions options;
    options.examples = ExampleKind::labelled_pairs;
    const TrainingCorpus corpus = build_training_corpus({real_data() / file}, options);
    EXPECT_EQ(corpus.counts.examples, examples) << file;
    EXPECT_EQ(corpus.counts.premises, premises) << file;
    EXPECT_EQ(corpus.counts.duplicates, 0u) << file;
    EXPECT_EQ(corpus.counts.without_gold_label, none) << file;
    std::map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t label : corpus.labels) ++counts[label];
    EXPECT_EQ(counts, of_labels) << file;
  };
  expect_counts("snli_1.0-subset/snli_1.0_train.jsonl", 75813, 49140, 0, {{0, 25249}, {1, 25126}, {2, 25438}});
  expect_counts("multinli_1.0-subset/multinli_1.0_train.jsonl", 39674, 35577, 0, {{0, 13357}, {1, 13186}, {2, 13131}});
  expect_counts("snli_1.0-original-sample/snli_1.0_dev.jsonl", 1273, 427, 16, {{0, 433}, {1, 421}, {2, 419}});
}

/// Premises of SNLI that differ in upper and lower case alone are one group to BERT's uncased vocabulary.
TEST(RealCorpora, GroupsOfLabelledPairsAreThoseOfEqualTokens) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto tokenizer = open_tokenizer(real_data() / "tokenizers" / "bert-base-uncased");
  TokenStoreOptions options;
  options.corpus.examples = ExampleKind::labelled_pairs;
  const TokenStore store =
      TokenStore::open_or_build({real_data() / "snli_1.0-subset" / "snli_1.0_train.jsonl"}, *tokenizer, options);
  std::map<std::vector<std::uint32_t>, std::uint32_t> group_of;
  std::set<std::uint32_t> groups;
  for (std::size_t i = 0; i < store.examples(); ++i) {
    std::vector<std::uint32_t> ids;
    store.append_tokens(store.sentence(i, 0), ids);
    ASSERT_EQ(group_of.emplace(ids, store.group(i)).first->second, store.group(i)) << i;
    groups.insert(store.group(i));
  }
  EXPECT_EQ(groups.size(), group_of.size()) << "no two premises of different ids share a group";
  EXPECT_LT(groups.size(), store.counts().premises);
}

TEST(RealCorpora, TriplesFileIsWhole) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const TrainingCorpus corpus = build_training_corpus({real_data() / "triples" / "nli_for_simcse-subset.csv"}, {});
  EXPECT_EQ(corpus.counts.examples, 10325u);
  EXPECT_EQ(corpus.counts.premises, 10325u);
  EXPECT_EQ(corpus.counts.duplicates, 0u);
  EXPECT_EQ(corpus.sentences[corpus.example_sentences[0]],
            "A man runs on a field with the ball and a man in a striped shirt is on the ground.");
}

}  // namespace
}  // namespace gausscse
