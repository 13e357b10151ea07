#include "training/model_card.hpp"

#include "model/folder/python_usage.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the card of a trial that names its pooling.
std::string card_of(const Trial& trial, const StateResult& state) {
  return model_card(trial, trial.model.pooling.value(), state);
}

TEST(ModelCard, SaysHowItWasTrainedAndWhatItScored) {
  const Trial trial =
      parse(std::string(minimal_trial), {"recipe=paper", "objective.loss=ent+rev", "training.batch_size=48",
                                         "training.learning_rate=0.001", "training.seed=7"});
  const std::string card = card_of(trial, sample_result().states[0]);
  EXPECT_EQ(card.find("---\nlibrary_name: \"gausscse\"\npipeline_tag: \"sentence-similarity\"\ntags:\n"
                      "- \"sentence-similarity\"\n- \"feature-extraction\"\n- \"gaussian-embedding\"\n---\n"),
            0u);
  for (const char* text :
       {"Made of the encoder `model` and the training data `train.jsonl`.\n",
        "`gausscse.safetensors`: the head (gaussian, mean linear), and the settings",
        "Trained with loss `ent+rev`, similarity `joint`, temperature 0.05, batch size 48, learning rate 0.001, seed "
        "7.",
        "State: best, after 2 steps.",
        "| nli | pairs | accuracy % | threshold | auprc % | directed_pairs | direction_sim % | direction_var % | "
        "direction_length % |\n|---|---|---|---|---|---|---|---|---|\n"
        "| dev | 4 | 75.00 | 0.6130 | 55.12 | 2 | 50.00 | 100.00 | 92.64 |\n"
        "| snli | 2 | 33.33 | 0.6130 | 50.00 | 2 | - | 100.00 | 92.64 |\n"
        "| mnli | 4 | 75.00 | 0.6130 | 75.00 | 2 | 50.00 | 100.00 | 92.64 |\n",
        "| sts | spearman % | missing_subsets |\n|---|---|---|\n| sts12 | 61.19 | 1 |\n",
        "sts12: partial, without MSRvid\n", "    gausscse encode MODEL_DIR sentences.txt embeddings.h5\n"})
    EXPECT_TRUE(says(card, text));
}

TEST(ModelCard, NamesWhereAModelBegan) {
  const auto origin = [](const std::string& model, const std::string& train) {
    const Trial trial =
        parse(concat("format: gausscse-trial/2\noutput: o\nmodel: ", model, "\ndata: {train: ", train, "}\n"));
    const std::string card = model_card(trial, PoolingKind::mean, sample_result().states[0]);
    const std::size_t begin = card.find("Made of ");
    return card.substr(begin, card.find('\n', begin) - begin);
  };
  EXPECT_EQ(origin("{backbone: {architecture: bert-base, init: random, tokenizer: t}}", "[a/b.csv, c.tsv]"),
            "Made of random weights of the shape bert-base and the training data `b.csv`, `c.tsv`.");
  EXPECT_EQ(origin("{backbone: {path: models/minilm}}", "a.csv"),
            "Made of the encoder `minilm` and the training data `a.csv`.");
}

TEST(ModelCard, MarksTheUntrainedState) {
  StateResult state = sample_result().states[0];
  state.step = 0;
  EXPECT_TRUE(says(card_of(parse(std::string(minimal_trial)), state),
                   "State: best, after 0 steps: the untrained state: no step gave a better one.\n"));
}

TEST(ModelCard, SaysWhatStandsForASentenceAndHowPythonOpensIt) {
  const auto card = [](const char* pooling) {
    return card_of(parse(std::string(minimal_trial), {concat("model.pooling=", pooling)}), sample_result().states[1]);
  };
  EXPECT_TRUE(says(card("first_token"), "a sentence's vector is the last hidden state of its first token\n"));
  EXPECT_TRUE(says(card("mean"), "a sentence's vector is the mean of its tokens' last hidden states\n"));
  EXPECT_TRUE(says(card("max"), "is the maximum of its tokens'"));
  EXPECT_TRUE(says(card("max"), "    mean = model.encode(sentences, convert_to_tensor=True)\n"));
  EXPECT_TRUE(says(card("mean_without_first"), "without the first token's"));
  EXPECT_EQ(card("mean_without_first").find("SentenceTransformer"), std::string::npos);
}

/// tests/launcher/export_card_test.cpp runs these lines.
TEST(ModelCard, ShowsTheSimilarityInPython) {
  const auto card = [](const std::string& modules, const std::string& similarity) {
    return card_of(parse(std::string(minimal_trial),
                         {"model.sentence_transformers=" + modules, "objective.similarity=" + similarity}),
                   sample_result().states[1]);
  };
  for (const Similarity similarity : {Similarity::per_dimension, Similarity::joint}) {
    const std::string name(name_of(similarity)), both = card("mean_and_log_var", name), mean = card("mean", name);
    EXPECT_TRUE(says(both, gaussian_similarity_in_python("MODEL_DIR", similarity, MeanScale::none)));
    EXPECT_TRUE(says(both, "compute something else"));
    EXPECT_EQ(both.find("gausscse export"), std::string::npos);
    EXPECT_TRUE(says(mean, embedding_in_python("MODEL_DIR", "mean")));
    EXPECT_TRUE(says(mean, "    gausscse export MODEL_DIR GAUSSIAN_DIR --as sentence-transformers-gaussian\n"));
    EXPECT_TRUE(says(mean, gaussian_similarity_in_python("GAUSSIAN_DIR", similarity, MeanScale::none)));
  }
}

/// Means of its modules have the length 1.
TEST(ModelCard, OfAHeadThatScalesHasTheLengthOfItsMeans) {
  const std::string card = card_of(parse(std::string(minimal_trial), {"model.head.scale=unit", "model.head.log_var=mlp",
                                                                      "training.parameters=head"}),
                                   sample_result().states[1]);
  EXPECT_TRUE(says(card, "the head (gaussian, mean tanh, scale unit, log_var mlp of 256)"));
  EXPECT_TRUE(says(card, "Its modules give the mean alone, scaled to the length 1. For"));
  EXPECT_TRUE(says(card, gaussian_similarity_in_python("GAUSSIAN_DIR", Similarity::per_dimension, MeanScale::unit)));
  EXPECT_TRUE(says(card, "    m *= np.sqrt(m.shape[1])"));
  EXPECT_TRUE(says(card, "The head alone was trained, with loss"));
  EXPECT_TRUE(says(
      card_of(parse(std::string(minimal_trial), {"training.parameters={from_layer: 3}"}), sample_result().states[1]),
      "The layers from 3 on, counted from 0, and the head were trained, with loss"));
  EXPECT_FALSE(says(card_of(parse(std::string(minimal_trial)), sample_result().states[1]), "np.sqrt"));
}

TEST(ModelCard, OfPlainVectorsSpeaksOfNoGaussian) {
  for (const auto& [recipe, head] :
       {std::pair{"simcse", "by a linear layer with tanh"}, {"dynamics", "becomes a vector;"}}) {
    const std::string card =
        card_of(parse(std::string(minimal_trial), {concat("recipe=", recipe)}), sample_result().states[1]);
    EXPECT_TRUE(says(card, head));
    EXPECT_TRUE(says(card, "Trained with contrastive loss of cosines"));
    EXPECT_TRUE(says(card, "    embedding = model.encode(sentences, convert_to_tensor=True)\n"));
    EXPECT_EQ(card.find("aussian"), std::string::npos) << card;
  }
}

TEST(ModelCard, TellsWhatIsPartOfAContrastiveLoss) {
  const auto trained_with = [](const std::vector<std::string>& overrides) {
    const std::string card = card_of(parse(std::string(minimal_trial), overrides), sample_result().states[1]);
    const std::size_t begin = card.find("Trained with ");
    return card.substr(begin, card.find(", batch size", begin) - begin);
  };
  EXPECT_EQ(trained_with({"recipe=paper", "objective.with_simcse=true"}),
            "Trained with loss `ent+con+rev`, similarity `joint`, SimCSE's loss of the means, temperature 0.05");
  EXPECT_EQ(trained_with({"recipe=paper", "objective.with_simcse=false"}),
            "Trained with loss `ent+con+rev`, similarity `joint`, temperature 0.05");
  EXPECT_EQ(trained_with({"recipe=simcse", "objective.hard_negatives=true", "objective.directions=one"}),
            "Trained with contrastive loss of cosines with hard negatives, temperature 0.05");
  EXPECT_EQ(trained_with({"recipe=simcse", "objective.hard_negatives=false", "objective.directions=one"}),
            "Trained with contrastive loss of cosines, temperature 0.05");
  EXPECT_EQ(trained_with({"recipe=simcse", "objective.hard_negatives=false", "objective.directions=both"}),
            "Trained with contrastive loss of cosines, in both directions, temperature 0.05");
}

TEST(ModelCard, TellsOfLabelledPairsAndSums) {
  const auto card = [](const std::vector<std::string>& overrides) {
    std::vector<std::string> all{"recipe=liao"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return card_of(parse(std::string(minimal_trial), all), sample_result().states[1]);
  };
  EXPECT_TRUE(says(card({"objective.kind=supervised_contrastive", "objective.positives=3"}),
                   "Trained with supervised contrastive loss of at most 3 positives and all negatives, temperature 1, "
                   "batch size 64"));
  EXPECT_TRUE(says(card({"objective.kind=augmented_classification", "objective.negatives=5"}),
                   "Trained with classification of labelled pairs and of those of a premise with all positives and at "
                   "most 5 negatives, activation `none`, batch"));
  EXPECT_TRUE(says(card({"objective.kind=sum", "objective.terms.a={kind: pair_classification, weight: 0.25}",
                         "objective.terms.b={kind: augmented_classification, weight: 0}",
                         "objective.terms.c={kind: supervised_contrastive, temperature: 0.5}"}),
                   "Trained with 0.25 × (classification of labelled pairs, activation `none`) + 1 × (supervised "
                   "contrastive loss of all positives and all negatives, temperature 0.5), batch"));
}

TEST(ModelCard, OfAHeadForVectorsNamesNoEncoder) {
  const std::string card = card_of(parse("format: gausscse-trial/2\nmodel: {backbone: {vectors: v.npy, texts: t}}\n"
                                         "training: {parameters: head}\ndata: {train: t}\noutput: o\n"),
                                   sample_result().states[1]);
  EXPECT_TRUE(says(card, "This is a head alone, for vectors of the encoder whose vectors it was trained on."));
  EXPECT_TRUE(says(card, "- `gausscse.safetensors`: the head (gaussian, mean tanh), and the settings"));
  EXPECT_TRUE(says(card, "    gausscse apply MODEL_DIR vectors.npy embeddings.h5\n"));
  for (const char* absent : {"config.json", "gausscse encode", "sentence-transformers", "Made of"})
    EXPECT_EQ(card.find(absent), std::string::npos) << absent;
}

TEST(ModelCard, HasTheAverageOfSetsOfSts) {
  StateResult state{"last", 3, {}};
  for (const auto& [task, spearman] : {std::pair{"sts12", 0.5}, {"sts13", 0.75}})
    state.tasks.push_back({task, "sts", false, {{"spearman", spearman}}, {}, ""});
  EXPECT_TRUE(says(card_of(parse(std::string(minimal_trial)), state),
                   "| sts12 | 50.00 |\n| sts13 | 75.00 |\n| average of 2 | 62.50 |\n"));
}

TEST(ModelCard, OfOneTestHasNoAverage) {
  const std::string card = card_of(parse(std::string(minimal_trial)), sample_result().states[1]);
  EXPECT_TRUE(says(card, "State: last, after 3 steps."));
  EXPECT_TRUE(says(card, "the head (gaussian, mean tanh)"));
  EXPECT_EQ(card.find("| average"), std::string::npos);
}

TEST(ModelCard, ShowsTheBackboneBelowEachTask) {
  StateResult kept{"last",
                   3,
                   {{"dev", "nli", false, {{"accuracy", 0.75}, {"auprc", 0.5}}, {}, ""}},
                   {{"dev", "nli", false, {{"auprc", 0.625}}, {}, ""}}};
  EXPECT_TRUE(
      says(card_of(parse(std::string(minimal_trial)), kept), "| dev | 75.00 | 50.00 |\n| - backbone | - | 62.50 |\n"));
  kept.tasks[0].task = "test";
  EXPECT_FALSE(says(card_of(parse(std::string(minimal_trial)), kept), "backbone"));
}

TEST(ModelCard, NamesThePoolingThatIsGiven) {
  const Trial trial = parse(std::string(minimal_trial), {"model.pooling=own"});
  EXPECT_EQ(trial.model.pooling, std::nullopt);
  EXPECT_TRUE(says(model_card(trial, PoolingKind::max, sample_result().states[0]),
                   "the maximum of its tokens' last hidden states"));
}

}  // namespace
}  // namespace gausscse
