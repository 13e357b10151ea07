#include "data/corpus/training_corpus.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "inference/notes.hpp"
#include "model/weights/encoder_config.hpp"
#include "results/result_file.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

/// Effects of the keys of a trial's data.
class TrialData : public testing::Test {
 protected:
  TinyRun train(const Texts& overrides) const { return training_.train(overrides); }
  fs::path write(const std::string& name, const std::string& text) const { return training_.write(name, text); }

  /// Returns a training of one step on a corpus of one's own, of a batch of one triple.
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
              "training data: 9 pairs or rows read, 1 without gold label, 1 duplicates, 3 premises, 7 examples, 9 "
              "sentences, 31 tokens");
  const TinyRun one = train_on(corpus_of_eight_pairs, {"data.triples=one"});
  EXPECT_TOLD(
      one.told.notes,
      "training data: 8 pairs or rows read, 1 without gold label, 0 duplicates, 3 premises, 2 examples, 6 sentences");
  EXPECT_TOLD(train_on(corpus_of_eight_pairs, {"data.triples=every_entailment"}).told.notes, "3 premises, 3 examples");
}

/// Six triples have one premise, with two entailed and three contradicted hypotheses, and one triple has another.
TEST_F(TrialData, FalseNegativesAreCountedInTheResult) {
  const auto left_out = [&](const Texts& overrides) {
    const TinyRun run =
        train_on(corpus_of_eight_pairs,
                 joined({"data.triples=all", "training.batch_size=7", "training.max_steps=2"}, overrides));
    EXPECT_EQ(read_result(run.model.parent_path() / "result.h5").training, run.result.training);
    return std::pair(run.result.training.left_out_pairs, run.result.training.loss.front());
  };
  const auto [none, kept] = left_out({});
  EXPECT_TRUE(none.empty());
  // Two others of each have its entailed hypothesis, and five its premise, in the set of reversed pairs.
  const auto [equal, with_equal] = left_out({"objective.false_negatives=mask_equal"});
  EXPECT_EQ(equal, (std::vector<std::int64_t>{42, 42}));
  EXPECT_LT(with_equal, kept - 0.01);
  // All five others have an entailed hypothesis of the premise.
  const auto [known, with_known] = left_out({"objective.false_negatives=mask_known"});
  EXPECT_EQ(known, (std::vector<std::int64_t>{60, 60}));
  EXPECT_LT(with_known, with_equal - 0.01);
  EXPECT_EQ(left_out({"objective.false_negatives=mask_known", "objective.loss=ent"}).first.front(), 30);
}

TEST_F(TrialData, FalseNegativesAreToldWithTheirShare) {
  const TinyRun run = train_on(corpus_of_eight_pairs,
                               {"data.triples=all", "training.batch_size=7", "objective.false_negatives=mask_equal"});
  // Each of 7 anchors has 3 * 7 - 1 candidates besides its own.
  EXPECT_TOLD(run.told.notes, "objective.false_negatives left out 42.0 pairs a step, 30.0000 % of the negatives");
  EXPECT_FALSE(holds(train_on(corpus_of_eight_pairs, {}).told.notes, "false_negatives"));
}

TEST_F(TrialData, BatchesWithoutDuplicatesHaveNoPremiseTwice) {
  const auto steps = [&](const Texts& overrides) {
    return train_on(corpus_of_eight_pairs,
                    joined({"data.triples=all", "training.batch_size=2", "training.max_steps=0", "training.epochs=2"},
                           overrides))
        .result.training.step.size();
  };
  EXPECT_EQ(steps({"data.last_batch=drop"}), 2u * 3u);
  EXPECT_EQ(steps({"data.last_batch=drop", "data.batches=no_duplicates"}), 2u);
  EXPECT_EQ(steps({"data.last_batch=keep", "data.batches=no_duplicates"}), 2u * 6u);
}

TEST_F(TrialData, HypothesesOfBothLabelsAreTold) {
  const Texts all{"data.triples=all"};
  EXPECT_FALSE(holds(train_on(corpus_of_eight_pairs, all).told.notes, "both entailed and contradicted"));
  const TinyRun run = train_on(
      corpus_of_eight_pairs + nli_line("entailment", "w1 w2", "w6") + nli_line("contradiction", "w1 w2", "w3"), all);
  EXPECT_TOLD(run.told.notes, "2 hypotheses are both entailed and contradicted by their premise: no example has them");
  // Of the first premise one entailment and two contradictions are left.
  EXPECT_TOLD(run.told.notes, "0 duplicates, 3 premises, 3 examples, ");
}

TEST_F(TrialData, CountsOfTheCorpusAreToldAgainFromTheCache) {
  const Texts all{"data.triples=all"};
  EXPECT_FALSE(holds(train_on(corpus_of_eight_pairs, all).told.notes, "(from the cache)"));
  EXPECT_TOLD(train_on(corpus_of_eight_pairs, all).told.notes, "7 examples, 9 sentences, 31 tokens (from the cache)");
  EXPECT_EQ(std::distance(fs::directory_iterator(training_.folder / "cache"), fs::directory_iterator()), 1);
  const fs::path other = training_.folder / "other";
  EXPECT_FALSE(holds(train_on(corpus_of_eight_pairs, {"data.triples=all", "data.cache=" + other.string()}).told.notes,
                     "(from the cache)"));
  EXPECT_EQ(std::distance(fs::directory_iterator(other), fs::directory_iterator()), 1);
}

/// Hypotheses have different lengths, so the number of tokens shows which were chosen.
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
    for (std::uint32_t i = 0; i < expected.sentences.size(); ++i) {
      const std::string_view sentence = expected.sentences[i];
      tokens += 3 + static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' '));
    }
    const std::string counts = concat(expected.sentences.size(), " sentences, ", tokens, " tokens");
    EXPECT_TOLD(train_on(corpus, {concat("training.seed=", seed)}).told.notes, counts);
    different.insert(counts);
  }
  EXPECT_GT(different.size(), 1u) << "else the seed shows in nothing";
}

/// Returns the reports of a run on sentences that were cut.
Texts cuts_of(const TinyRun& run) {
  Texts cuts;
  for (const std::string& warning : run.told.warnings)
    if (const std::size_t cut = warning.find(" cut ("); cut != std::string::npos)
      cuts.push_back(fs::path(warning.substr(0, warning.rfind(" and ", cut))).filename().string());
  return cuts;
}

/// Sentences of just as many tokens are whole: eight words, [CLS] and [SEP].
TEST_F(TrialData, MaxTokensCutsFromTheFirstTokenTooMany) {
  const std::string eight = "w1 w2 w3 w4 w5 w6 w7 w8";
  const std::string corpus = nli_line("entailment", eight, "w1") + nli_line("contradiction", eight, eight + " w9");
  const auto dev = "tasks.dev.files=" +
                   write("dev.jsonl", nli_line("entailment", eight, "w1") + nli_line("neutral", "w2", "w3")).string();
  const TinyRun whole = train_on(corpus, {dev, "training.max_tokens=11"});
  EXPECT_EQ(cuts_of(whole), Texts{});
  EXPECT_TOLD(whole.told.notes, "3 sentences, 24 tokens");
  const TinyRun one_cut = train_on(corpus, {dev, "training.max_tokens=10"});
  EXPECT_EQ(cuts_of(one_cut), Texts{"corpus.jsonl: 1 sentence has more than 10 tokens"});
  EXPECT_TOLD(one_cut.told.notes, "3 sentences, 23 tokens");
  const TinyRun cut = train_on(corpus, {dev, "training.max_tokens=9"});
  EXPECT_EQ(cuts_of(cut),
            (Texts{"dev: 1 sentence has more than 9 tokens", "corpus.jsonl: 2 sentences have more than 9 tokens"}));
  EXPECT_TOLD(cut.told.warnings, "and are cut (66.7 %): their ends are lost; raise max_tokens, as the encoder takes ");
  EXPECT_TOLD(cut.told.notes, "3 sentences, 21 tokens");
}

/// A file of other words is named even if most tokens of all files are known.
TEST_F(TrialData, SharesOfTokensAreReportedOfEachFile) {
  const auto file = [&](const std::string& name, const std::string& text) { return write(name, text).string(); };
  std::string known;
  for (int i = 0; i < 20; ++i)
    known += nli_line("entailment", concat("w", i), "w1 w2 w3 w4") + nli_line("contradiction", concat("w", i), "w5 w6");
  const std::string unknown = nli_line("entailment", "no w7", "w8 w9") + nli_line("contradiction", "no w7", "non w10");
  const TinyRun run =
      train({concat("data.train=[\"", file("known.jsonl", known), "\", \"", file("un.jsonl", unknown), "\"]"),
             "training.batch_size=1", "training.max_steps=1", "training.max_tokens=5"});
  // w0 to w19, a sentence of four words, of which three are left, and one of two.
  EXPECT_TOLD(run.told.notes, "known.jsonl: 0.0 % of 25 tokens are unknown, 4.5 % of 22 sentences are cut at 5 tokens");
  EXPECT_TOLD(run.told.notes, "un.jsonl: 33.3 % of 6 tokens are unknown, 0.0 % of 3 sentences are cut at 5 tokens");
  EXPECT_TOLD(run.told.warnings, "known.jsonl: 1 sentence has more than 5 tokens and is cut (4.5 %)");
  EXPECT_FALSE(holds(run.told.warnings, "known.jsonl: 1 sentence has more than 5 tokens and is cut (4.5 %):"));
  EXPECT_TOLD(run.told.warnings,
              "un.jsonl: 33.3 % of 6 tokens are unknown to the tokenizer, as in \"no w7\": their text is lost; use a "
              "model whose vocabulary has it");
  EXPECT_FALSE(holds(run.told.warnings, "tokens are unknown to the tokenizer, as in \"w"));
}

TEST_F(TrialData, MaxTokensAreAtMostThePositions) {
  const Trial trial = training_.trial({"training.max_steps=1"});
  const auto positions = static_cast<std::int64_t>(read_encoder_config(trial.model.backbone.path).max_tokens());
  const auto with = [&](std::int64_t max_tokens) {
    return Texts{"training.max_steps=1", concat("training.max_tokens=", max_tokens)};
  };
  EXPECT_EQ(train(with(positions)).result.training.step.size(), 1u);
  EXPECT_THROW(train(with(positions + 1)), InputError);
}

/// An STS task of vectors is cut where the encoder has no positions, regardless of the training's max_tokens.
TEST_F(TrialData, StsTasksOfCosinesAreCutAtThePositions) {
  const auto positions = read_encoder_config(training_.trial({}).model.backbone.path).max_tokens();
  std::string longest = "w1";
  for (std::size_t word = 1; word < positions; ++word) longest += " w2";
  const std::string pairs = concat("g\tf\ty\t1\t2\t", longest, "\tw1 w2\ng\tf\ty\t1\t3\tw1 w2 w3 w4 w5 w6\tw3\n");
  const auto cuts = [&](const char* recipe) {
    return cuts_of(train_on(corpus_of_eight_pairs,
                            {concat("recipe=", recipe), "training.max_tokens=6", "select.figure=accuracy",
                             concat("tasks.sts={kind: sts, files: \"", write("sts.csv", pairs).string(), "\"}")}));
  };
  EXPECT_TOLD(cuts("simcse"), concat("sts: 1 sentence has more than ", positions, " tokens"));
  EXPECT_TOLD(cuts("released"), "sts: 2 sentences have more than 6 tokens");
}

TEST_F(TrialData, BadLinesAreErrorsOrLeftOut) {
  const std::string corpus = corpus_of_eight_pairs + nli_line("entailed", "w1", "w2");
  EXPECT_THROW(train_on(corpus, {"data.bad_lines=error"}), InputError);
  const TinyRun run = train_on(corpus, {"data.bad_lines=skip"});
  EXPECT_TOLD(run.told.warnings, "the training data: 1 of 9 lines is left out");
  EXPECT_TOLD(run.told.warnings, "corpus.jsonl:9: ");
  const std::string dev = nli_line("entailment", "w1", "w2") + "{\n";
  const std::string dev_key = "tasks.dev.files=" + write("dev.jsonl", dev).string();
  EXPECT_THROW(train_on(corpus_of_eight_pairs, {dev_key}), InputError);
  EXPECT_TOLD(train_on(corpus_of_eight_pairs, {dev_key, "data.bad_lines=skip"}).told.warnings,
              "dev: 1 of 2 lines is left out");
}

/// Trimmed, the lines have one premise; untrimmed two, neither of which has both kinds of hypotheses. A blank counts as
/// a character for the length baseline of dev.
TEST_F(TrialData, TrimDecidesWhetherOuterBlanksCount) {
  const std::string corpus = nli_line("entailment", "w1", "w2") + nli_line("contradiction", "w1 ", "w3") +
                             nli_line("entailment", "w4", "w5") + nli_line("contradiction", "w4", "w6");
  const fs::path dev = write("dev.jsonl", nli_line("entailment", "w1 ", "w2") + nli_line("neutral", "w3", "w4"));
  const auto run = [&](Texts overrides) {
    overrides.push_back("tasks.dev.files=" + dev.string());
    return train_on(corpus, overrides).told;
  };
  const auto trimmed = run({"data.trim=true"}), kept = run({"data.trim=false"}), usual = run({});
  EXPECT_TOLD(trimmed.notes, "2 premises, 2 examples");
  EXPECT_TOLD(kept.notes, "3 premises, 1 examples");
  EXPECT_TOLD(usual.notes, "3 premises, 1 examples");
  EXPECT_EQ(metric_of(trimmed.measurements.front(), "direction_length"), 0.5) << "as long once trimmed";
  EXPECT_EQ(metric_of(kept.measurements.front(), "direction_length"), 1);
}

TEST_F(TrialData, TasksHaveTheirNamesAndAreCountedAsAsked) {
  const std::string nli = nli_line("entailment", "w1 w2", "w1") + nli_line("-", "w3", "w4") +
                          nli_line("neutral", "w5", "w6 w7") + nli_line("contradiction", "w8", "w9");
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tSemEval_"
      "set\n"
      "1\tw1 w2\tw1\tENTAILMENT\t4\tA_entails_B\tB_neutral_A\tTEST\n"
      "2\tw3\tw4\tENTAILMENT\t4\tA_entails_B\tB_entails_A\tTEST\n"
      "3\tw5\tw6\tNEUTRAL\t4\tA_neutral_B\tB_neutral_A\tTEST\n";
  const std::string first =
      concat("tasks.first={kind: nli, files: \"", write("a.jsonl", nli).string(), "\", threshold: dev}");
  const std::string second =
      concat("tasks.second={kind: nli, files: \"", write("b.txt", sick).string(), "\", threshold: 0.5}");
  const auto tested = [&](const Texts& overrides) {
    return train(joined({first, second, "training.max_steps=1"}, overrides)).result;
  };
  const RunResult usual = tested({});
  const RunResult dropped = tested({"evaluation.no_gold_label=drop", "evaluation.two_way_pairs=drop"});
  const RunResult mixed = tested({"evaluation.two_way_pairs=drop", "tasks.second.two_way_pairs=keep",
                                  "tasks.first.no_gold_label=drop", "tasks.second.auprc=sweep"});
  const std::vector<Measurement>& tasks = usual.states.at(1).tasks;
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].task, "dev");
  EXPECT_EQ(tasks[1].task, "first");
  EXPECT_EQ(tasks[2].task, "second");
  EXPECT_TRUE(tasks[0].development);
  EXPECT_FALSE(tasks[1].development);
  const auto last = [](const RunResult& result, const char* task, const char* metric) {
    return metric_in(result, "last", task, metric);
  };
  EXPECT_EQ(last(usual, "first", "threshold"), last(usual, "dev", "threshold"));
  EXPECT_EQ(last(usual, "second", "threshold"), 0.5);
  EXPECT_EQ(last(usual, "first", "pairs"), 4);
  EXPECT_EQ(last(usual, "second", "directed_pairs"), 2);
  EXPECT_EQ(last(dropped, "first", "pairs"), 3);
  EXPECT_EQ(last(dropped, "first", "directed_pairs"), 1);
  EXPECT_EQ(last(dropped, "second", "pairs"), 3);
  EXPECT_EQ(last(dropped, "second", "directed_pairs"), 1);
  EXPECT_EQ(last(mixed, "first", "pairs"), 3);
  EXPECT_EQ(last(mixed, "second", "directed_pairs"), 2);
}

/// Tasks of the development are measured while training, or give their threshold to others.
TEST_F(TrialData, SomeTasksAreOfTheDevelopment) {
  const std::string file = concat("kind: nli, files: \"", golden("training/dev.jsonl").string(), "\"");
  const RunResult result =
      train({"training.max_steps=1", "tasks.dev.threshold=0.25", concat("tasks.giving={", file, "}"),
             concat("tasks.taking={", file, ", threshold: giving}"), concat("tasks.alone={", file, "}")})
          .result;
  for (const StateResult& state : result.states) {
    const auto development = [&](const char* task) { return find_measurement(state.tasks, task)->development; };
    EXPECT_TRUE(development("dev"));
    EXPECT_TRUE(development("giving"));
    EXPECT_FALSE(development("taking"));
    EXPECT_FALSE(development("alone"));
  }
}

TEST_F(TrialData, ExamplesAreTriplesOrPairsInTheirOrder) {
  const std::string corpus = corpus_of_eight_pairs + nli_line("entailment", "w1 w2", "w3");
  const TinyRun pairs = train_on(corpus, {"recipe=dynamics", "select.figure=accuracy"});
  EXPECT_TOLD(pairs.told.notes, "1 without gold label, 1 duplicates, 2 premises, 4 examples, 5 sentences");
  const auto losses = [&](const char* order) {
    return train_on(corpus, {"data.examples=entailment_pairs", "objective.loss=ent", "training.dropout=0",
                             "training.learning_rate=1.0e-9", "training.max_steps=8", "training.batch_size=2",
                             std::string("data.order=") + order})
        .result.training.loss;
  };
  // Two batches an epoch: in the order of the files each epoch has the same losses, but for the small change by so low
  // a rate.
  const std::vector<double> file = losses("file"), shuffled = losses("shuffled");
  for (std::size_t i = 2; i < file.size(); ++i) EXPECT_NEAR(file[i], file[i - 2], 1e-5 * file[i]);
  double furthest = 0;
  for (std::size_t i = 2; i < shuffled.size(); ++i)
    furthest = std::max(furthest, std::abs(shuffled[i] - shuffled[i - 2]));
  EXPECT_GT(furthest, 1e-3);
}

TEST_F(TrialData, TensorsThatAreNoPartOfTheEncoderAreNamed) {
  const fs::path old = training_.folder / "old";
  fs::copy(golden("weights/tiny-bert-old-names"), old, fs::copy_options::recursive);
  fs::copy_file(golden("training/vocab.txt"), old / "vocab.txt");
  const TinyRun run = train({"model.backbone.path=" + old.string(), "training.max_steps=1"});
  EXPECT_TOLD(run.told.notes,
              "tensors that are not part of the encoder are left out: bert.embeddings.position_ids, "
              "bert.pooler.dense.bias, bert.pooler.dense.weight, cls.predictions.bias, "
              "cls.predictions.transform.LayerNorm.gamma, cls.seq_relationship.weight");
  EXPECT_FALSE(holds(train({"training.max_steps=1"}).told.notes, "left out"));
}

/// Returns the message on a tokenizer of so many ids, with a gap among them or not, for an encoder of so many
/// embeddings.
std::string told_of_vocabulary(std::int64_t ids, std::int64_t embeddings, bool with_gap = false) {
  std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (std::int64_t i = 5; i < ids; ++i) words += concat("w", i, "\n");
  TokenizerFiles files{{}, {{"vocab.txt", words}}};
  if (with_gap)
    files.contents = {{"tokenizer.json", concat(R"({"added_tokens": [], "normalizer": null, "pre_tokenizer": {"type":
      "BertPreTokenizer"}, "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]},
      "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
      "max_input_chars_per_word": 100, "vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "a": )",
                                                ids - 1, "}}}")}};
  EncoderConfig encoder;
  encoder.vocabulary_size = embeddings;
  std::string warning;
  const std::string refusal = refusal_of([&] { warning = check_vocabulary(*make_tokenizer(files), encoder); });
  return refusal == "accepted" ? warning : "refused: " + refusal;
}

TEST(Vocabulary, EmbeddingsBehindTheLastIdAreTakenForPaddingIfTheyAreFew) {
  EXPECT_EQ(told_of_vocabulary(60, 60), "");
  EXPECT_EQ(
      told_of_vocabulary(59, 64),
      "the tokenizer has 59 ids, but the vocabulary_size of the encoder's config.json is 64: the last 5 embeddings "
      "are taken for padding; if they had tokens, the vocabulary file lost its last lines");
  EXPECT_TRUE(says(told_of_vocabulary(58, 60), "the last 2 embeddings")) << "to no multiple of 8, but few";
  EXPECT_TRUE(says(told_of_vocabulary(8, 64), "the last 56 embeddings"));
  EXPECT_TRUE(says(told_of_vocabulary(1000, 2016), "the last 1016 embeddings"));
  for (const auto& [ids, embeddings] : {std::pair{7, 60}, {51, 60}, {1000, 2024}})
    EXPECT_TRUE(says(told_of_vocabulary(ids, embeddings), "refused: the tokenizer has ")) << ids;
  EXPECT_TRUE(says(told_of_vocabulary(61, 60), "some tokens would have no embedding"));
  EXPECT_EQ(told_of_vocabulary(64, 64, true), "");
  EXPECT_TRUE(says(told_of_vocabulary(63, 64, true), "refused: the tokenizer has 63 ids"));
}

}  // namespace
}  // namespace gausscse
