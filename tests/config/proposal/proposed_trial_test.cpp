#include "config/proposal/proposed_trial.hpp"

#include "config/trial/recipe_defaults.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

ProposalRequest request_for(double triples, double pairs, double labelled_pairs = 0) {
  ProposalRequest request;
  request.backbone = "models/tiny";
  request.backbone_text = "2 layers";
  request.train = {"train.csv"};
  request.data.files = {{"train.csv", FileContent::triples, {}, "premise=anchor"}};
  request.data.rows_read = 10;
  request.data.rows = std::max(pairs, labelled_pairs);
  request.data.triples = triples;
  request.data.triples_of_every_entailment = labelled_pairs > 0 ? pairs : triples;
  request.data.pairs = pairs;
  request.data.labelled_pairs = labelled_pairs;
  request.lengths = {.longest = 20, .of_most = 15, .encoder_tokens = 512};
  request.output = "runs/trial";
  return request;
}

MeasuredSet measured_set(const std::string& name, FileContent content) {
  return {name, {name + ".csv", content, {}, "columns"}};
}

/// Returns the trial as it is read in its file, in the folder /base; checks that it is the proposed one.
Trial written_and_read(const ProposedTrial& proposed) {
  const std::string text = to_commented_yaml(proposed.trial, proposed.remarks, {"A heading."}, "/base");
  return parse_trial(text, "trial.yaml", "/base");
}

TEST(ProposedTrial, TrainsOnTriplesByTheReleasedRecipe) {
  ProposalRequest request = request_for(6400, 6400);
  request.dev = {measured_set("dev", FileContent::labelled_pairs)};
  request.tests = {measured_set("snli", FileContent::labelled_pairs), measured_set("stsb", FileContent::scored_pairs)};
  const ProposedTrial proposed = propose_trial(request);
  EXPECT_EQ(proposed.data_text, "6400 rows give 6400 triples");
  EXPECT_EQ(proposed.steps, 100);

  Trial expected = recipe_defaults(setting::Recipe::released);
  expected.model.backbone.path = "/base/models/tiny";
  expected.data.train = {"/base/train.csv"};
  expected.tasks = {{"dev", 10, NliTaskSettings{.file = "/base/dev.csv"}},
                    {"snli", 0, NliTaskSettings{.file = "/base/snli.csv", .threshold = "dev"}},
                    {"stsb", 0, StsTaskSettings{.files = {"/base/stsb.csv"}}}};
  expected.select.task = "dev";
  expected.select.metric = "auprc";
  expected.training.keep_checkpoint = true;
  expected.output = "/base/runs/trial";
  EXPECT_EQ(written_and_read(proposed), expected);
}

/// After an epoch without a gain: one of 10 measurements, or of as many as there are steps. A single epoch is whole.
TEST(ProposedTrial, EndsATrainingThatHasStoppedToGain) {
  const auto patience_of = [](setting::Recipe recipe, double triples) {
    ProposalRequest request = request_for(triples, triples);
    request.recipe = recipe;
    request.dev = {measured_set("dev", FileContent::labelled_pairs)};
    return written_and_read(propose_trial(request)).select.patience;
  };
  EXPECT_EQ(patience_of(setting::Recipe::released, 6400), 0);
  EXPECT_EQ(patience_of(setting::Recipe::simcse, 51200), 10);
  EXPECT_EQ(patience_of(setting::Recipe::simcse, 6), 3);
  EXPECT_EQ(patience_of(setting::Recipe::head, 640), 0);
}

/// 6,399 examples are 99 whole batches of 64; the recipe `liao` also has the rest as a batch.
TEST(ProposedTrial, CountsTheLastBatchIfItIsKept) {
  ProposalRequest request = request_for(6399, 6399, 6399);
  request.recipe = setting::Recipe::released;
  EXPECT_EQ(propose_trial(request).steps, 99);
  request.recipe = setting::Recipe::liao;
  EXPECT_EQ(propose_trial(request).steps, 100);
}

TEST(ProposedTrial, NeedsNoContradictions) {
  const Trial pairs = written_and_read(propose_trial(request_for(0, 6400)));
  EXPECT_EQ(pairs.recipe, setting::Recipe::contrastive_pairs);
  EXPECT_EQ(pairs.data.examples, ExampleKind::entailment_pairs);
  EXPECT_TRUE(pairs.tasks.empty());
  EXPECT_EQ(pairs.select, Trial::Select());

  ProposalRequest request = request_for(0, 6400);
  request.recipe = setting::Recipe::paper;
  const Trial gaussian = written_and_read(propose_trial(request));
  EXPECT_EQ(gaussian.recipe, setting::Recipe::paper);
  EXPECT_EQ(gaussian.objective.loss, Loss::ent_rev);
  EXPECT_EQ(gaussian.data.examples, ExampleKind::entailment_pairs);

  request.recipe = setting::Recipe::simcse;
  const Trial cosine = written_and_read(propose_trial(request));
  EXPECT_FALSE(cosine.objective.hard_negatives);
  EXPECT_EQ(cosine.data.examples, ExampleKind::entailment_pairs);

  request.recipe = setting::Recipe::liao;
  EXPECT_TRUE(
      says(refusal_of([&] { propose_trial(request); }), "--recipe liao learns from labels, which the training "));
  EXPECT_TRUE(says(refusal_of([&] {
                     ProposalRequest with_dev = request_for(0, 10);
                     with_dev.dev = {measured_set("dev", FileContent::pairs)};
                     propose_trial(with_dev);
                   }),
                   "dev.csv: has columns, and a set that is measured needs labels or scores"));
}

/// Ten entailed pairs for each triple, at most: else most of the data would be left out.
TEST(ProposedTrial, LeavesFewTriples) {
  const Trial enough = written_and_read(propose_trial(request_for(100, 1000, 3000)));
  EXPECT_EQ(enough.recipe, setting::Recipe::released);
  ProposalRequest request = request_for(99, 1000, 3000);
  EXPECT_EQ(written_and_read(propose_trial(request)).recipe, setting::Recipe::contrastive_pairs);
  request.recipe = setting::Recipe::released;
  EXPECT_EQ(written_and_read(propose_trial(request)).data.examples, ExampleKind::triples);
}

TEST(ProposedTrial, ShowsThreeDigitsOfAnEstimate) {
  ProposalRequest request = request_for(25332, 25332, 76649);
  request.data.is_whole = false;
  request.data.rows_read = 10000;
  EXPECT_EQ(propose_trial(request).data_text,
            "about 76600 rows give about 25300 triples (the first 10000 rows were read)");
  request.data.is_lower_bound = true;
  request.data.triples = 96;
  request.recipe = setting::Recipe::released;
  EXPECT_EQ(propose_trial(request).data_text,
            "more than 76600 rows give more than 96 triples (the first 10000 rows were read)");
}

TEST(ProposedTrial, MeasuresWhatTheRecipeAndTheSetsAllow) {
  ProposalRequest request = request_for(2100, 3000, 9000);
  request.recipe = setting::Recipe::liao;
  request.dev = {measured_set("dev", FileContent::labelled_pairs)};
  const Trial labels = written_and_read(propose_trial(request));
  EXPECT_EQ(labels.tasks.at(0), (TaskSettings{"dev", 14, NliLabelsTaskSettings{.file = "/base/dev.csv"}}));
  EXPECT_EQ(labels.select.metric, "accuracy");

  request.recipe.reset();
  request.dev = {measured_set("dev", FileContent::scored_pairs)};
  request.tests = {measured_set("snli", FileContent::labelled_pairs)};
  const Trial scores = written_and_read(propose_trial(request));
  // 2,100 triples are 32 whole batches of 64.
  EXPECT_EQ(scores.tasks.at(0), (TaskSettings{"dev", 3, StsTaskSettings{.files = {"/base/dev.csv"}}}));
  EXPECT_EQ(scores.select.metric, "spearman");
  EXPECT_EQ(std::get<NliTaskSettings>(scores.tasks.at(1).of_kind).threshold, "own");
}

/// A share of the premises where there is no other dev set: 5 %, or more for 20 premises to be expected, up to a
/// quarter.
TEST(ProposedTrial, HoldsADevSetOut) {
  ProposalRequest request = request_for(6400, 6400);
  const auto fraction_of = [&](std::size_t premises) {
    request.data.premises = premises;
    return written_and_read(propose_trial(request)).data.dev_fraction;
  };
  EXPECT_EQ(fraction_of(39), 0);
  EXPECT_EQ(fraction_of(40), 0.25);
  EXPECT_EQ(fraction_of(200), 0.1);
  EXPECT_EQ(fraction_of(6400), 0.05);
  request.tests = {measured_set("snli", FileContent::labelled_pairs)};
  const Trial trial = written_and_read(propose_trial(request));
  // 95 % of 6,400 are 95 batches.
  const std::vector<TaskSettings> tasks{{"dev", 10, NliTaskSettings{}},
                                        {"snli", 0, NliTaskSettings{.file = "/base/snli.csv", .threshold = "dev"}}};
  EXPECT_EQ(trial.tasks, tasks);
  EXPECT_EQ(trial.select.task, "dev");
  EXPECT_EQ(trial.select.metric, "auprc");
  request.dev = {measured_set("dev", FileContent::labelled_pairs)};
  EXPECT_EQ(fraction_of(6400), 0);
  // Entailments alone cannot be measured; labels that are something else can.
  request = request_for(0, 300);
  EXPECT_EQ(fraction_of(300), 0);
  request = request_for(0, 300, 300);
  EXPECT_EQ(fraction_of(300), 0);
  request = request_for(0, 300, 500);
  EXPECT_EQ(fraction_of(300), 0.07);
}

TEST(ProposedTrial, FitsBatchesAndTokensToTheData) {
  const auto training_of = [](double triples, std::size_t of_most, std::size_t encoder_tokens) {
    ProposalRequest request = request_for(triples, triples);
    request.lengths = {.longest = of_most, .of_most = of_most, .encoder_tokens = encoder_tokens};
    return written_and_read(propose_trial(request)).training;
  };
  EXPECT_EQ(training_of(640, 64, 512).batch_size, 64);
  EXPECT_EQ(training_of(639, 64, 512).batch_size, 32);
  EXPECT_EQ(training_of(40, 64, 512).batch_size, 4);
  EXPECT_EQ(training_of(3, 64, 512).batch_size, 2);
  EXPECT_EQ(training_of(640, 64, 512).max_tokens, 64);
  EXPECT_EQ(training_of(640, 65, 512).max_tokens, 96);
  EXPECT_EQ(training_of(640, 97, 512).max_tokens, 128);
  EXPECT_EQ(training_of(640, 120, 126).max_tokens, 126);
  EXPECT_EQ(training_of(640, 10, 16).max_tokens, 16);
}

/// Each comment has the meaning of its key, as the table has it, and its reason; a name of a user's cannot end it.
TEST(ProposedTrial, ExplainsEachKey) {
  ProposalRequest request = request_for(6400, 6400);
  request.layout.premise = "odd \"name\"\nrecipe: liao";
  request.data.files[0].text = "premise=odd\nrecipe: liao";
  request.bad_lines = BadLines::skip;
  request.train = {"one file.csv", "two: #.csv"};
  const ProposedTrial proposed = propose_trial(request);
  const std::string text = to_commented_yaml(proposed.trial, proposed.remarks, {"A heading."}, "/base");
  EXPECT_TRUE(text.starts_with("# A heading.\n\n"));
  EXPECT_TRUE(
      says(text, "# Recipe whose defaults apply; any key in the file overrides them. Allowed: released, paper,"));
  EXPECT_TRUE(
      says(text, "\n  # Examples of a step, over all ranks together. Allowed: an integer from 1 to 10000000.\n"));
  EXPECT_TRUE(says(text, "\n  batch_size: 64\n"));
  EXPECT_TRUE(says(text, "\n  train:\n    - \"one file.csv\"\n    - \"two: #.csv\"\n"));
  EXPECT_TRUE(says(text, "\n    path: \"models/tiny\"\n"));
  const Trial read = parse_trial(text, "trial.yaml", "/base");
  EXPECT_EQ(read.recipe, setting::Recipe::released);
  EXPECT_EQ(read.data.layout.premise, request.layout.premise);
  EXPECT_EQ(read.data.bad_lines, BadLines::skip);
  EXPECT_EQ(read.data.train, (std::vector<std::filesystem::path>{"/base/one file.csv", "/base/two: #.csv"}));
  // No text is written that the reader refuses.
  request.train = {"same.csv", "same.csv"};
  const ProposedTrial twice = propose_trial(request);
  EXPECT_TRUE(says(refusal_of([&] { to_commented_yaml(twice.trial, twice.remarks, {}, "/base"); }), "is named twice"));
}

/// Names that YAML could take for something else, with control characters and line ends of Unicode.
TEST(ProposedTrial, KeepsAnyNameOfAFile) {
  for (const std::string name : {"a\nb.csv",
                                 "a\tb\r.csv",
                                 "\x1b[31m.csv",
                                 "\x7f.csv",
                                 "#x.csv",
                                 "x #y.csv",
                                 ": y.csv",
                                 "- z.csv",
                                 "a\"b'c.csv",
                                 "a\\nb.csv",
                                 "{a: b}.csv",
                                 "null",
                                 "3",
                                 "*a",
                                 "&a",
                                 "!a",
                                 "%a",
                                 "@a",
                                 "`a",
                                 "a ",
                                 " a",
                                 "\xE2\x80\xA8.csv",
                                 "\xC2\x85.csv",
                                 "\xEF\xBB\xBF.csv",
                                 "\xF0\x9F\x8E\xB8.csv",
                                 "\xEF\xBF\xBD.csv"}) {
    ProposalRequest request = request_for(6400, 6400);
    request.train = {name};
    request.backbone = "models/" + name;
    request.output = "runs/" + name;
    request.dev = {{"dev", {"dev/" + name, FileContent::labelled_pairs, {}, "columns"}}};
    const Trial trial = written_and_read(propose_trial(request));
    EXPECT_EQ(trial.data.train.at(0), "/base/" + name);
    EXPECT_EQ(trial.model.backbone.path, "/base/models/" + name);
    EXPECT_EQ(trial.output, "/base/runs/" + name);
    EXPECT_EQ(std::get<NliTaskSettings>(trial.tasks.at(0).of_kind).file, "/base/dev/" + name);
  }
}

TEST(ProposedTrial, RefusesANameThatIsNotUtf8) {
  const auto refused = [](const auto& change) {
    ProposalRequest request = request_for(6400, 6400);
    request.dev = {measured_set("dev", FileContent::labelled_pairs)};
    change(request);
    return refusal_of([&] { written_and_read(propose_trial(request)); });
  };
  const std::string name = "a\xFF.csv", said = "\"a\\xff.csv\" cannot be written into a trial";
  EXPECT_TRUE(says(refused([&](ProposalRequest& request) { request.train.emplace_back(name); }), said));
  EXPECT_TRUE(says(refused([&](ProposalRequest& request) { request.backbone = name; }), said));
  EXPECT_TRUE(says(refused([&](ProposalRequest& request) { request.output = name; }), said));
  // A code point that is no character.
  EXPECT_TRUE(says(refused([&](ProposalRequest& request) { request.output = "a\xEF\xBF\xBE"; }), "cannot be written"));
  EXPECT_TRUE(says(refused([&](ProposalRequest& request) { request.dev[0].columns.path = name; }), said));
}

/// The borders of proposals: of few steps, and of shares of a dev set.
TEST(ProposedTrial, ChangesAtItsBorders) {
  const auto remark_of = [](double triples, const std::string& key) {
    const ProposedTrial proposed = propose_trial(request_for(triples, triples));
    const auto found = std::find_if(proposed.remarks.begin(), proposed.remarks.end(),
                                    [&](const Remark& remark) { return remark.key == key; });
    return found == proposed.remarks.end() ? std::string() : found->why;
  };
  EXPECT_TRUE(says(remark_of(64 * 999, "training.epochs"), "About 999 steps each. So few steps change a model little"));
  EXPECT_EQ(remark_of(64 * 1000, "training.epochs"), "About 1000 steps each.");
  EXPECT_TRUE(says(remark_of(64 * 999, "training.learning_rate"), "A training of few steps"));
  EXPECT_EQ(remark_of(64 * 1000, "training.learning_rate"), "The recipe's.");
  EXPECT_TRUE(says(remark_of(639, "training.batch_size"), "The recipe has 64, which would leave fewer than 10 steps"));
  EXPECT_TRUE(says(remark_of(640, "training.batch_size"), "A larger batch has more negatives"));
  ProposalRequest request = request_for(640, 640);
  request.data.premises = 80;
  EXPECT_EQ(propose_trial(request).trial.data.dev_fraction, 0.25);
  request.data.premises = 100;
  EXPECT_EQ(propose_trial(request).trial.data.dev_fraction, 0.2);
  request.data.premises = 400;
  EXPECT_EQ(propose_trial(request).trial.data.dev_fraction, 0.05);
}

TEST(ProposedTrial, NamesTheLabelOfPairsWithoutOne) {
  ProposalRequest request = request_for(6400, 6400);
  request.layout.none = "";
  EXPECT_EQ(written_and_read(propose_trial(request)).data.layout, CorpusLayout{.none = ""});
}

/// A backbone that is made for sentence vectors is kept as it is: only a head is trained, from its vectors on.
TEST(ProposedTrial, TrainsAHeadOnABackboneWithAPooling) {
  ProposalRequest request = request_for(6400, 6400);
  request.own_pooling = PoolingKind::mean;
  request.dev = {measured_set("dev", FileContent::labelled_pairs)};
  const ProposedTrial proposed = propose_trial(request);
  EXPECT_EQ(proposed.steps, 2400);
  Trial expected = recipe_defaults(setting::Recipe::head);
  expected.model.backbone.path = "/base/models/tiny";
  expected.data.train = {"/base/train.csv"};
  expected.training.epochs = 24;
  expected.tasks = {{"dev", 1200, NliTaskSettings{.file = "/base/dev.csv"}}};
  expected.training.keep_checkpoint = true;
  expected.output = "/base/runs/trial";
  EXPECT_EQ(written_and_read(proposed), expected);

  request.recipe = setting::Recipe::released;
  EXPECT_EQ(written_and_read(propose_trial(request)).recipe, setting::Recipe::released);
}

/// Epochs by the size of the data: about 2,400 steps, one epoch of much data, no more than 30 of little.
TEST(ProposedTrial, TrainsAHeadForAsManyStepsAsItNeeds) {
  const auto epochs = [](double triples) {
    ProposalRequest request = request_for(triples, triples);
    request.own_pooling = PoolingKind::mean;
    return propose_trial(request).trial.training.epochs;
  };
  EXPECT_EQ(epochs(64 * 2399), 2);
  EXPECT_EQ(epochs(64 * 2400), 1);
  EXPECT_EQ(epochs(276'000), 1);
  EXPECT_EQ(epochs(640), 30);
}

/// Without contradictions, or with few, pairs of entailment are enough.
TEST(ProposedTrial, TrainsAHeadOnPairs) {
  for (const double triples : {0.0, 99.0}) {
    ProposalRequest request = request_for(triples, 1000);
    request.own_pooling = PoolingKind::mean;
    const Trial trial = written_and_read(propose_trial(request));
    EXPECT_EQ(trial.recipe, setting::Recipe::head);
    EXPECT_EQ(trial.data.examples, ExampleKind::entailment_pairs);
    EXPECT_EQ(trial.objective.loss, Loss::ent_rev);
  }
  // Pairs with labels have other negatives, so that every entailed pair makes a triple.
  ProposalRequest request = request_for(99, 1000, 3000);
  request.own_pooling = PoolingKind::mean;
  const ProposedTrial labelled = propose_trial(request);
  EXPECT_EQ(labelled.data_text, "3000 rows give 1000 triples");
  EXPECT_EQ(labelled.trial.data.examples, ExampleKind::triples);
  EXPECT_EQ(labelled.trial.objective.loss, Loss::ent_con_rev);
}

}  // namespace
}  // namespace gausscse
