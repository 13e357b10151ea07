#include "data/corpus/held_out_pairs.hpp"

#include "data/corpus/held_out_premises.hpp"
#include "data/corpus/token_store.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Pair as text: "label premise|hypothesis".
using Pairs = std::vector<std::string>;

/// Premises of p0 to p19 that a fraction of 0.3 holds out, by PyPI's xxhash: xxh3_64 with the seed
/// 0x68656c64206f7574, divided by 2^64, is 0.1123, 0.1732, 0.0302, 0.2709 and 0.0090. The next one, p5, has 0.3055.
const std::set<int> held_out_of_twenty{1, 2, 8, 16, 17};
constexpr double fraction = 0.3;

TEST(HeldOutPremises, AreThoseOfAHashOfTheText) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(is_held_out(concat("p", i), fraction), held_out_of_twenty.contains(i)) << i;
  // By PyPI's xxhash again: 0.98262738 and 0.71325048.
  EXPECT_FALSE(is_held_out("A man plays a guitar.", 0.9826273));
  EXPECT_TRUE(is_held_out("A man plays a guitar.", 0.9826274));
  EXPECT_FALSE(is_held_out("犬が走る。", 0.7132504));
  EXPECT_TRUE(is_held_out("犬が走る。", 0.7132505));
  EXPECT_TRUE(is_held_out(" \tp8\u00a0\n", fraction)) << "outer white space counts";
  EXPECT_TRUE(premises_to_train_on(fraction)("p5"));
  EXPECT_FALSE(premises_to_train_on(fraction)("p8"));
  EXPECT_FALSE(premises_to_train_on(0)) << "a filter without effect";
}

TEST(HeldOutPremises, AreTheFractionAndLieWithinThoseOfALargerOne) {
  int held_out = 0;
  constexpr int premises = 20000;
  for (int i = 0; i < premises; ++i) {
    const std::string premise = concat("Premise number ", i, ".");
    held_out += is_held_out(premise, 0.1);
    if (is_held_out(premise, 0.1)) {
      EXPECT_TRUE(is_held_out(premise, 0.11));
    }
  }
  EXPECT_NEAR(held_out, 2000, 5 * 42.4) << "five standard deviations of a binomial";
}

/// Files of rows, each of a premise, of which a test knows which are held out.
class HeldOutPairs : public testing::Test {
 protected:
  struct Read {
    Pairs pairs;
    ReadReport report;
    HeldOutCounts counts;
  };

  fs::path write(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return folder_ / name;
  }

  static Read read(const std::vector<fs::path>& files, CorpusOptions options, const std::string& group_key = {}) {
    options.dev_fraction = options.dev_fraction == 0 ? fraction : options.dev_fraction;
    Read read;
    read.counts = for_each_held_out_pair({files, options}, group_key, read.report, [&](NliPair&& pair) {
      read.pairs.push_back(concat(nli_label_name(pair.label), " ", pair.premise, "|", pair.hypothesis,
                                  pair.group.empty() ? "" : concat(" of ", pair.group)));
    });
    return read;
  }

  /// Expects that the files train, with a fraction held out, as the files in `without` do, from which the test removed
  /// the held-out rows.
  static void expect_trains_as(const std::vector<fs::path>& files, const std::vector<fs::path>& without,
                               CorpusOptions options) {
    const TrainingCorpus expected = build_training_corpus(without, options);
    options.dev_fraction = fraction;
    const TrainingCorpus trained = build_training_corpus(files, options);
    EXPECT_EQ(texts_of(trained), texts_of(expected));
    EXPECT_EQ(sentences_of(trained), sentences_of(expected));
    EXPECT_EQ(trained.labels, expected.labels);
    EXPECT_EQ(trained.counts, expected.counts);
    EXPECT_GT(trained.counts.examples, 0u);
  }

  const TemporaryFolder folder_;
};

/// Returns the rows of premise i in NLI's layout; all labels, one of them twice.
std::string rows_of_premise(int i) {
  const std::string premise = concat("p", i);
  return jsonl("entailment", premise, concat("e", i)) + jsonl("neutral", premise, concat("n", i)) +
         jsonl("contradiction", premise, concat("c", i)) + jsonl("-", premise, concat("x", i)) +
         jsonl("entailment", premise, concat("e", i));
}

Pairs pairs_of_premise(int i) {
  return {concat("entailment p", i, "|e", i), concat("neutral p", i, "|n", i), concat("contradiction p", i, "|c", i),
          concat("- p", i, "|x", i), concat("entailment p", i, "|e", i)};
}

TEST_F(HeldOutPairs, OfNliFilesAreTheirPairsAsTheyAre) {
  std::string all, without;
  Pairs expected;
  for (int i = 0; i < 20; ++i) {
    all += rows_of_premise(i);
    if (!held_out_of_twenty.contains(i)) {
      without += rows_of_premise(i);
      continue;
    }
    for (const std::string& pair : pairs_of_premise(i)) expected.push_back(pair);
  }
  const fs::path file = write("all.jsonl", all), rest = write("without.jsonl", without);
  const Read read = HeldOutPairs::read({file}, {});
  EXPECT_EQ(read.pairs, expected);
  EXPECT_EQ(read.counts.rows, 25u);
  EXPECT_EQ(read.counts.all_rows, 100u);
  EXPECT_EQ(read.counts.premises, 5u);
  EXPECT_EQ(read.counts.all_premises, 20u);
  EXPECT_EQ(read.report.pairs, 25u);
  EXPECT_EQ(read.report.pairs_with(NliLabel::entailment), 10u);
  EXPECT_EQ(read.report.pairs_with(NliLabel::none), 5u);
  EXPECT_EQ(read.report.labels.at(NliLabel::neutral).first, concat(file.string(), ":7"));
  for (const ExampleKind kind : {ExampleKind::triples, ExampleKind::entailment_pairs, ExampleKind::labelled_pairs})
    for (const TriplesPerPremise triples : {TriplesPerPremise::one, TriplesPerPremise::all})
      expect_trains_as({file}, {rest}, {.triples_per_premise = triples, .seed = 3, .examples = kind});
}

/// Neither the order of rows nor that of files, nor the file of a row, decides about held-out pairs.
TEST_F(HeldOutPairs, OfSeveralFilesNeverSplitAPremise) {
  std::string first, second, third;
  Pairs expected;
  for (int i = 19; i >= 0; --i) {
    const std::string premise = concat("p", i);
    first += jsonl("entailment", premise, concat("e", i));
    second += jsonl("contradiction", premise, concat("c", i));
    if (held_out_of_twenty.contains(i)) third += jsonl("neutral", premise, "n");
  }
  for (const char* label : {"contradiction", "entailment", "neutral"})
    for (int i = 19; i >= 0; --i)
      if (held_out_of_twenty.contains(i))
        expected.push_back(concat(label, " p", i, "|", label[0], label[0] == 'n' ? "" : std::to_string(i)));
  // All of the third file is held out, which is no error.
  const std::vector<fs::path> files{write("2.jsonl", second), write("1.jsonl", first), write("3.jsonl", third)};
  const Read read = HeldOutPairs::read(files, {});
  EXPECT_EQ(read.pairs, expected);
  EXPECT_EQ(read.counts.premises, 5u);
  EXPECT_EQ(read.counts.all_premises, 20u);
  CorpusOptions options;
  options.dev_fraction = fraction;
  const TrainingCorpus trained = build_training_corpus(files, options);
  std::set<std::string> premises;
  for (const std::vector<std::string>& triple : texts_of(trained)) premises.insert(triple.front());
  EXPECT_EQ(premises.size(), 15u);
  for (const int i : held_out_of_twenty) EXPECT_FALSE(premises.contains(concat("p", i)));
}

TEST_F(HeldOutPairs, OfTriplesAreDistinctPairsOfTwoLabels) {
  std::string all, without;
  Pairs expected;
  for (int i = 0; i < 20; ++i) {
    // Two positives and two negatives, of which another row has one each again.
    const std::string rows =
        concat(R"({"query": "p)", i, R"(", "pos": ["e)", i, R"(", "f)", i, R"("], "neg": ["c)", i, R"(", "d)", i,
               "\"]}\n", R"({"query": "p)", i, R"(", "pos": ["e)", i, R"("], "neg": ["c)", i, "\"]}\n");
    all += rows;
    if (!held_out_of_twenty.contains(i)) {
      without += rows;
      continue;
    }
    for (const char* pair : {"entailment ?|e", "contradiction ?|c", "contradiction ?|d", "entailment ?|f"}) {
      std::string text = pair;
      text.replace(text.find('?'), 1, concat("p", i));
      expected.push_back(concat(text, i));
    }
  }
  const fs::path file = write("all.jsonl", all), rest = write("without.jsonl", without);
  const Read read = HeldOutPairs::read({file}, {});
  EXPECT_EQ(read.pairs, expected);
  EXPECT_EQ(read.report.pairs, 20u);
  EXPECT_EQ(read.report.pairs_with(NliLabel::entailment), 10u);
  EXPECT_EQ(read.report.pairs_with(NliLabel::contradiction), 10u);
  EXPECT_EQ(read.counts.rows, 10u);
  EXPECT_EQ(read.counts.all_rows, 40u);
  expect_trains_as({file}, {rest}, {});
  expect_trains_as({file}, {rest}, {.examples = ExampleKind::entailment_pairs});
}

/// A dev set has the contradictions of the file, also where the pairs train without them.
TEST_F(HeldOutPairs, OfPairsHaveTheContradictionsThatThereAre) {
  const CorpusOptions pairs{.examples = ExampleKind::entailment_pairs};
  std::string two = "anchor,positive\n", three = "anchor,positive,negative\n", json;
  for (int i = 0; i < 20; ++i) {
    two += concat("p", i, ",e", i, "\n");
    three += concat("p", i, ",e", i, ",", i == 8 ? "" : concat("c", i), "\n");
    json += concat(R"({"anchor": "p)", i, R"(", "positive": "e)", i, "\"",
                   i == 8   ? R"(, "negative": null)"
                   : i == 1 ? R"(, "negative": [])"
                            : concat(R"(, "negative": "c)", i, "\""),
                   "}\n");
  }
  EXPECT_EQ(
      read({write("two.csv", two)}, pairs).pairs,
      (Pairs{"entailment p1|e1", "entailment p2|e2", "entailment p8|e8", "entailment p16|e16", "entailment p17|e17"}));
  EXPECT_EQ(
      read({write("three.csv", three)}, pairs).pairs,
      (Pairs{"entailment p1|e1", "contradiction p1|c1", "entailment p2|e2", "contradiction p2|c2", "entailment p8|e8",
             "entailment p16|e16", "contradiction p16|c16", "entailment p17|e17", "contradiction p17|c17"}));
  EXPECT_EQ(read({write("json.jsonl", json)}, pairs).pairs,
            (Pairs{"entailment p1|e1", "entailment p2|e2", "contradiction p2|c2", "entailment p8|e8",
                   "entailment p16|e16", "contradiction p16|c16", "entailment p17|e17", "contradiction p17|c17"}));
  EXPECT_HAS(input_error([&] { read({folder_ / "two.csv"}, {}); }), "negative");
}

/// A premise with outer blanks is another text, but on the same side.
TEST_F(HeldOutPairs, OuterWhiteSpaceDoesNotSplitAPremise) {
  const std::string text = jsonl("entailment", "p8", "e") + jsonl("neutral", " p8", "n") +
                           jsonl("contradiction", "p8 ", "c") + jsonl("entailment", "p5 ", "e") +
                           jsonl("contradiction", "p5 ", "c");
  const fs::path file = write("c.jsonl", text);
  EXPECT_EQ(read({file}, {}).pairs, (Pairs{"entailment p8|e", "neutral  p8|n", "contradiction p8 |c"}));
  EXPECT_EQ(read({file}, {.trim = true}).pairs, (Pairs{"entailment p8|e", "neutral p8|n", "contradiction p8|c"}));
  EXPECT_EQ(read({file}, {.trim = true}).counts.premises, 1u);
  EXPECT_EQ(read({file}, {}).counts.premises, 3u);
}

TEST_F(HeldOutPairs, OfTriplesAreTrimmedWhereAsked) {
  const fs::path file = write("t.csv", "anchor,positive,negative\n p8, e ,c \np8,e,c\n p5,f,g\n");
  EXPECT_EQ(read({file}, {}).pairs,
            (Pairs{"entailment  p8| e ", "contradiction  p8|c ", "entailment p8|e", "contradiction p8|c"}));
  EXPECT_EQ(read({file}, {.trim = true}).pairs, (Pairs{"entailment p8|e", "contradiction p8|c"}));
}

TEST_F(HeldOutPairs, OfTriplesHaveTheUsersColumnsAndBadLines) {
  const fs::path file = write("t.csv", "claim,anchor,positive,negative,other\nx,p8,e,c,p5\nbad\nx,p5,f,g,p8\n");
  EXPECT_HAS(input_error([&] { read({file}, {}); }), "t.csv:3: ");
  CorpusOptions options{.bad_lines = BadLines::skip};
  EXPECT_EQ(read({file}, options).pairs, (Pairs{"entailment p8|e", "contradiction p8|c"}));
  EXPECT_EQ(read({file}, options).report.bad_lines, 0u);
  options.layout = {.premise = "other", .entailed = "negative", .contradicted = "claim"};
  EXPECT_EQ(read({file}, options).pairs, (Pairs{"entailment p8|g", "contradiction p8|x"}));
}

/// The same lines are bad on both sides; the training reports them.
TEST_F(HeldOutPairs, BadLinesAreThoseOfTheTraining) {
  std::string all, without;
  for (int i = 0; i < 20; ++i) all += rows_of_premise(i);
  for (int i = 0; i < 20; ++i)
    if (!held_out_of_twenty.contains(i)) without += rows_of_premise(i);
  const std::string bad = jsonl("entailed", "p8", "h") + jsonl("entailed", "p5", "h") + "{\n";
  const fs::path file = write("all.jsonl", all + bad), rest = write("without.jsonl", without + bad);
  EXPECT_HAS(input_error([&] { read({file}, {}); }), "all.jsonl:101: the label \"entailed\" is unknown");
  const CorpusOptions skip{.bad_lines = BadLines::skip};
  const Read read = HeldOutPairs::read({file}, skip);
  EXPECT_EQ(read.pairs.size(), 25u);
  EXPECT_EQ(read.report.bad_lines, 0u);
  EXPECT_TRUE(read.report.bad_line_messages("dev").empty());
  EXPECT_TRUE(read.report.causes.empty());
  expect_trains_as({file}, {rest}, skip);
}

TEST_F(HeldOutPairs, OfSickAreOfItsTrainingRows) {
  std::string text = "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n";
  for (const char* set : {"TEST", "TRAIN", "TRIAL"})
    for (const char* premise : {"p8", "p5"})
      text += concat(premise, "\te ", set, "\tENTAILMENT\tA_entails_B\tB_entails_A\t", set, "\n");
  const Read read = HeldOutPairs::read({write("sick.txt", text)}, {});
  EXPECT_EQ(read.pairs, Pairs{"entailment p8|e TRAIN"});
  EXPECT_EQ(read.counts.all_rows, 2u);
}

TEST_F(HeldOutPairs, HaveTheirGroupsAndTheUsersColumns) {
  const fs::path file =
      write("c.csv", "evidence,claim,verdict,genre\np8,h,yes,travel\np5,h,yes,travel\np8,g,no,news\n");
  CorpusOptions options;
  options.layout = {
      .premise = "evidence", .hypothesis = "claim", .label = "verdict", .entailment = "yes", .contradiction = "no"};
  EXPECT_EQ(read({file}, options, "genre").pairs, (Pairs{"entailment p8|h of travel", "contradiction p8|g of news"}));
  const fs::path triples = write("t.csv", "anchor,positive,negative,genre\np8,e,c,x\np5,e,c,x\n");
  EXPECT_HAS(input_error([&] { read({triples}, {}, "genre"); }),
             "by \"genre\": the held-out examples come from triples");
}

TEST_F(HeldOutPairs, NoneAndAllAreRefusedWithNumbers) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += rows_of_premise(i);
  const fs::path file = write("c.jsonl", text);
  CorpusOptions options;
  options.dev_fraction = 0.009;
  EXPECT_HAS(input_error([&] { read({file}, options); }),
             concat("data.dev_fraction 0.009 holds out none of the 20 premises of ", file.string()));
  options.dev_fraction = 0.0091;
  EXPECT_EQ(read({file}, options).counts.premises, 1u);
  options.dev_fraction = 0.94;
  EXPECT_EQ(read({file}, options).counts.premises, 19u);
  options.dev_fraction = 0.95;
  EXPECT_HAS(input_error([&] { read({file}, options); }), "data.dev_fraction 0.95 holds out all of the 20 premises");
}

TEST_F(HeldOutPairs, AnotherFractionIsAnotherTokenStore) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += rows_of_premise(i);
  const fs::path file = write("c.jsonl", text);
  const auto store = [&](double dev_fraction) {
    TokenStoreOptions options;
    options.cache_folder = folder_ / "cache";
    options.corpus.dev_fraction = dev_fraction;
    return TokenStore::open_or_build({file}, ByteTokenizer(), options);
  };
  EXPECT_EQ(store(0).examples(), 20u);
  EXPECT_EQ(store(fraction).examples(), 15u);
  EXPECT_EQ(store(0.305).examples(), 15u);
  EXPECT_FALSE(store(std::nextafter(0.305, 1)).from_cache()) << "the next number is another one";
  EXPECT_EQ(store(0.3055).examples(), 14u);
  EXPECT_TRUE(store(fraction).from_cache());
  EXPECT_TRUE(store(0).from_cache());
}

}  // namespace
}  // namespace gausscse
