#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "data/corpus/training_corpus.hpp"
#include "model/weights/encoder_config.hpp"
#include "tests/experiments/training/tiny_training.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::golden;
using testing_support::holds;
using testing_support::nli_line;
using testing_support::TinyRun;
using testing_support::TinyTraining;
using Texts = std::vector<std::string>;

/// What the keys of a trial's data do to it.
class TrialData : public testing::Test {
 protected:
  TinyRun train(const Texts& overrides) const { return training_.train(overrides); }
  fs::path write(const std::string& name, const std::string& text) const { return training_.write(name, text); }

  /// A training of one step on a corpus of one's own, of a batch of one triple.
  TinyRun train_on(const std::string& corpus, Texts overrides) const {
    overrides.insert(overrides.begin(), {"data.train=" + write("corpus.jsonl", corpus).string(),
                                         "training.batch_size=1", "training.max_steps=1"});
    return train(overrides);
  }

  const TinyTraining training_;
};

/// The premise p with two entailed and three contradicted hypotheses, q with one each, r that makes no triple.
const std::string corpus_of_eight_pairs =
    nli_line("entailment", "w1 w2", "w3") + nli_line("entailment", "w1 w2", "w4 w5") +
    nli_line("contradiction", "w1 w2", "w6") + nli_line("contradiction", "w1 w2", "w7") +
    nli_line("contradiction", "w1 w2", "w8 w9 w10") + nli_line("entailment", "w11", "w12") +
    nli_line("contradiction", "w11", "w13") + nli_line("-", "w14", "w15");

TEST_F(TrialData, TriplesAreOneOrAllOfAPremise) {
  const TinyRun all = train_on(corpus_of_eight_pairs + nli_line("entailment", "w11", "w12"), {"data.triples=all"});
  EXPECT_TOLD(all.told.notes,
              "training data: 9 pairs or rows read, 1 without gold label, 1 duplicates, 3 premises, 7 triples, 9 "
              "sentences, 31 tokens");
  const TinyRun one = train_on(corpus_of_eight_pairs, {"data.triples=one"});
  EXPECT_TOLD(
      one.told.notes,
      "training data: 8 pairs or rows read, 1 without gold label, 0 duplicates, 3 premises, 2 triples, 6 sentences");
}

TEST_F(TrialData, CountsOfTheCorpusAreToldAgainFromTheCache) {
  const Texts all{"data.triples=all"};
  EXPECT_FALSE(holds(train_on(corpus_of_eight_pairs, all).told.notes, "(from the cache)"));
  EXPECT_TOLD(train_on(corpus_of_eight_pairs, all).told.notes, "7 triples, 9 sentences, 31 tokens (from the cache)");
  EXPECT_EQ(std::distance(fs::directory_iterator(training_.folder / "cache"), fs::directory_iterator()), 1);
  const fs::path other = training_.folder / "other";
  EXPECT_FALSE(holds(train_on(corpus_of_eight_pairs, {"data.triples=all", "data.cache=" + other.string()}).told.notes,
                     "(from the cache)"));
  EXPECT_EQ(std::distance(fs::directory_iterator(other), fs::directory_iterator()), 1);
}

/// Hypotheses of different lengths tell by the number of tokens which were chosen.
TEST_F(TrialData, SeedChoosesTheHypotheses) {
  std::string corpus;
  for (int p = 0; p < 12; ++p) {
    const std::string premise = concat("w", p, " w20");
    for (int h = 0; h < 4; ++h) {
      std::string hypothesis = concat("w", 12 + p);
      for (int i = 0; i < h; ++i) hypothesis += concat(" w", 25 + p + i);
      corpus += nli_line(h % 2 == 0 ? "entailment" : "contradiction", premise, hypothesis);
    }
  }
  const fs::path file = write("corpus.jsonl", corpus);
  std::set<std::string> different;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const TrainingCorpus expected =
        build_training_corpus({file}, {.bad_lines = {}, .triples_per_premise = {}, .seed = seed});
    std::size_t tokens = 0;
    for (const std::string& sentence : expected.sentences)
      tokens += 3 + static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' '));
    const std::string counts = concat(expected.sentences.size(), " sentences, ", tokens, " tokens");
    EXPECT_TOLD(train_on(corpus, {concat("training.seed=", seed)}).told.notes, counts);
    different.insert(counts);
  }
  EXPECT_GT(different.size(), 1u) << "else the seed shows in nothing";
}

/// What a run told of sentences that were cut.
Texts cuts_of(const TinyRun& run) {
  Texts cuts;
  for (const std::string& warning : run.told.warnings)
    if (warning.ends_with("are cut")) cuts.push_back(warning);
  return cuts;
}

/// Sentences of just as many tokens are whole: eight words, [CLS] and [SEP].
TEST_F(TrialData, MaxTokensCutsFromTheFirstTokenTooMany) {
  const std::string eight = "w1 w2 w3 w4 w5 w6 w7 w8";
  const std::string corpus = nli_line("entailment", eight, "w1") + nli_line("contradiction", eight, eight + " w9");
  const auto dev =
      "data.dev=" + write("dev.jsonl", nli_line("entailment", eight, "w1") + nli_line("neutral", "w2", "w3")).string();
  const TinyRun whole = train_on(corpus, {dev, "training.max_tokens=11"});
  EXPECT_EQ(cuts_of(whole), Texts{});
  EXPECT_TOLD(whole.told.notes, "3 sentences, 24 tokens");
  const TinyRun one_cut = train_on(corpus, {dev, "training.max_tokens=10"});
  EXPECT_EQ(cuts_of(one_cut), Texts{"1 training sentences have more than 10 tokens and are cut"});
  EXPECT_TOLD(one_cut.told.notes, "3 sentences, 23 tokens");
  const TinyRun cut = train_on(corpus, {dev, "training.max_tokens=9"});
  EXPECT_EQ(cuts_of(cut), (Texts{"dev: 1 sentences have more than 9 tokens and are cut",
                                 "2 training sentences have more than 9 tokens and are cut"}));
  EXPECT_TOLD(cut.told.notes, "3 sentences, 21 tokens");
}

TEST_F(TrialData, MaxTokensAreAtMostThePositions) {
  const Trial trial = training_.trial({"training.max_steps=1"});
  const auto positions = static_cast<std::int64_t>(read_encoder_config(trial.backbone.path).max_tokens());
  const auto with = [&](std::int64_t max_tokens) {
    return Texts{"training.max_steps=1", concat("training.max_tokens=", max_tokens)};
  };
  EXPECT_EQ(train(with(positions)).result.training.step.size(), 1u);
  EXPECT_THROW(train(with(positions + 1)), InputError);
}

TEST_F(TrialData, BadLinesAreErrorsOrLeftOut) {
  const std::string corpus = corpus_of_eight_pairs + nli_line("entailed", "w1", "w2");
  EXPECT_THROW(train_on(corpus, {"data.bad_lines=error"}), InputError);
  const TinyRun run = train_on(corpus, {"data.bad_lines=skip"});
  EXPECT_TOLD(run.told.warnings, "1 bad lines of the training data are left out");
  EXPECT_TOLD(run.told.warnings, "corpus.jsonl:9: ");
  const std::string dev = nli_line("entailment", "w1", "w2") + "{\n";
  const std::string dev_key = "data.dev=" + write("dev.jsonl", dev).string();
  EXPECT_THROW(train_on(corpus_of_eight_pairs, {dev_key}), InputError);
  EXPECT_TOLD(train_on(corpus_of_eight_pairs, {dev_key, "data.bad_lines=skip"}).told.warnings,
              "dev: 1 bad lines are left out");
}

/// What is trimmed is one premise; what is not is two, of which neither has both kinds of hypotheses. A blank counts as
/// a character for the length baseline of dev.
TEST_F(TrialData, TrimDecidesWhetherOuterBlanksCount) {
  const std::string corpus = nli_line("entailment", "w1", "w2") + nli_line("contradiction", "w1 ", "w3") +
                             nli_line("entailment", "w4", "w5") + nli_line("contradiction", "w4", "w6");
  const fs::path dev = write("dev.jsonl", nli_line("entailment", "w1 ", "w2") + nli_line("neutral", "w3", "w4"));
  const auto run = [&](Texts overrides) {
    overrides.push_back("data.dev=" + dev.string());
    return train_on(corpus, overrides).told;
  };
  const auto trimmed = run({"data.trim=true"}), kept = run({"data.trim=false"}), usual = run({});
  EXPECT_TOLD(trimmed.notes, "2 premises, 2 triples");
  EXPECT_TOLD(kept.notes, "3 premises, 1 triples");
  EXPECT_TOLD(usual.notes, "3 premises, 1 triples");
  EXPECT_EQ(trimmed.dev.front().direction_length, 0);
  EXPECT_EQ(kept.dev.front().direction_length, 1);
}

TEST_F(TrialData, TestSetsHaveTheirNamesAndAreCountedAsAsked) {
  const std::string nli = nli_line("entailment", "w1 w2", "w1") + nli_line("-", "w3", "w4") +
                          nli_line("neutral", "w5", "w6 w7") + nli_line("contradiction", "w8", "w9");
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tSemEval_"
      "set\n"
      "1\tw1 w2\tw1\tENTAILMENT\t4\tA_entails_B\tB_neutral_A\tTEST\n"
      "2\tw3\tw4\tENTAILMENT\t4\tA_entails_B\tB_entails_A\tTEST\n"
      "3\tw5\tw6\tNEUTRAL\t4\tA_neutral_B\tB_neutral_A\tTEST\n";
  const std::string first = "data.test.first=" + write("a.jsonl", nli).string();
  const std::string second = "data.test.second=" + write("b.txt", sick).string();
  const auto tested = [&](const Texts& overrides) {
    Texts all{first, second, "training.max_steps=1"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return train(all).result.states.at(1).tests;
  };
  const auto usual = tested({}), dropped = tested({"data.no_gold_label=drop", "evaluation.two_way_pairs=drop"});
  ASSERT_EQ(usual.size(), 2u);
  EXPECT_EQ(usual[0].name, "first");
  EXPECT_EQ(usual[1].name, "second");
  EXPECT_EQ(usual[0].metrics.pairs, 4);
  EXPECT_EQ(usual[1].metrics.directed_pairs, 2);
  EXPECT_EQ(dropped[0].metrics.pairs, 3);
  EXPECT_EQ(dropped[0].metrics.directed_pairs, 1);
  EXPECT_EQ(dropped[1].metrics.pairs, 3);
  EXPECT_EQ(dropped[1].metrics.directed_pairs, 1);
}

TEST_F(TrialData, TensorsThatAreNoPartOfTheEncoderAreNamed) {
  const fs::path old = training_.folder / "old";
  fs::copy(golden("weights/tiny-bert-old-names"), old, fs::copy_options::recursive);
  fs::copy_file(golden("training/vocab.txt"), old / "vocab.txt");
  const TinyRun run = train({"backbone.path=" + old.string(), "training.max_steps=1"});
  for (const char* name : {"bert.pooler.dense.weight", "bert.pooler.dense.bias", "cls.predictions.bias",
                           "cls.seq_relationship.weight", "bert.embeddings.position_ids"})
    EXPECT_TOLD(run.told.notes, concat("not part of the encoder, dropped: ", name));
  EXPECT_FALSE(holds(train({"training.max_steps=1"}).told.notes, "dropped: "));
}

}  // namespace
}  // namespace gausscse
