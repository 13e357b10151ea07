#include "tests/experiments/manifests/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Entries = std::vector<StudyPlanEntry>;

Entries of_stage(const Entries& entries, const std::string& stage) {
  Entries found;
  for (const StudyPlanEntry& entry : entries)
    if (entry.planned.stage == stage) found.push_back(entry);
  return found;
}

std::string label(const StudyPlanEntry& entry, const std::string& axis) {
  const std::string* found = label_on(entry.planned, axis);
  return found ? *found : "";
}

std::string backbone_of(const StudyPlanEntry& entry) {
  return entry.trial->model.backbone.path.filename();
}

const TaskSettings& task_of(const StudyPlanEntry& entry, const std::string& name) {
  for (const TaskSettings& task : entry.trial->tasks)
    if (task.name == name) return task;
  throw std::out_of_range(name);
}

const NliTaskSettings& nli_of(const StudyPlanEntry& entry, const std::string& name) {
  return std::get<NliTaskSettings>(task_of(entry, name).of_kind);
}

/// Backbone, batch size and rate.
using GridPoint = std::tuple<std::string, std::int64_t, double>;
std::set<GridPoint> grid_of(const Entries& entries) {
  std::set<GridPoint> points;
  for (const StudyPlanEntry& entry : entries)
    points.emplace(backbone_of(entry), entry.trial->training.batch_size, entry.trial->training.learning_rate);
  return points;
}

std::set<GridPoint> product_of(const std::set<std::string>& backbones, const std::set<std::int64_t>& batch_sizes) {
  std::set<GridPoint> points;
  for (const std::string& backbone : backbones)
    for (const std::int64_t batch_size : batch_sizes)
      for (const double rate : {1e-5, 3e-5, 5e-5}) points.emplace(backbone, batch_size, rate);
  return points;
}

const std::set<std::string> four_backbones = {"bert-base-uncased", "bert-large-uncased", "roberta-base",
                                              "roberta-large"};
const std::set<Loss> four_losses = {Loss::ent, Loss::ent_con, Loss::ent_rev, Loss::ent_con_rev};

class PaperStudies : public testing::Test {
 protected:
  StudyFiles files_;
};

TEST_F(PaperStudies, GridOfTable5) {
  const Entries entries = files_.plan("gausscse-v2-grid");
  EXPECT_EQ(grid_of(entries), product_of(four_backbones, {16, 32, 64, 128}));
  for (const StudyPlanEntry& entry : entries) {
    EXPECT_EQ(entry.trial->recipe, setting::Recipe::paper);
    EXPECT_EQ(entry.trial->objective.loss, Loss::ent_con_rev);
    EXPECT_EQ(task_of(entry, "snli_dev").eval_every, 100);
    EXPECT_EQ(entry.trial->select, (Trial::Select{"snli_dev", "auprc"}));
  }
}

/// Returns the metric that the paper's table 5 has for a trial of the choice.
double metric_of_table_5(const PlannedTrial& trial) {
  for (const PaperRow& row : paper_rows("gausscse.csv"))
    if (row.source == "v2" && row.table == "5" && row.model == *label_on(trial, "backbone") &&
        row.batch_size == *label_on(trial, "training.batch_size") &&
        row.learning_rate == *label_on(trial, "training.learning_rate"))
      return std::stod(row.value);
  return 0;
}

TEST_F(PaperStudies, V2TakesTheBestOfTable5ForEachBackbone) {
  const Entries entries = files_.plan("gausscse-v2-nli", [](const PlannedTrial& trial) {
    return trial.stage == "choose" ? metric_of_table_5(trial) : 0;
  });
  Entries choose = of_stage(entries, "choose");
  std::erase_if(choose, [](const StudyPlanEntry& entry) { return label(entry, "method") == "simcse"; });
  EXPECT_EQ(grid_of(choose), product_of(four_backbones, {16, 32, 64, 128}));
  EXPECT_EQ(choose.size(), 48u);
  for (const StudyPlanEntry& entry : choose) {
    EXPECT_EQ(entry.trial->recipe, setting::Recipe::paper);
    EXPECT_EQ(entry.trial->objective.loss, Loss::ent_con_rev);
  }
  // By eye from the paper's table.
  const std::map<std::string, std::pair<std::int64_t, double>> best = {{"bert-base-uncased", {16, 5e-5}},
                                                                       {"bert-large-uncased", {16, 3e-5}},
                                                                       {"roberta-base", {16, 5e-5}},
                                                                       {"roberta-large", {16, 3e-5}}};
  std::map<std::string, std::set<std::pair<Loss, std::int64_t>>> trained;
  for (const StudyPlanEntry& entry : of_stage(entries, "final")) {
    SCOPED_TRACE(title_of(entry.planned));
    const Trial& trial = *entry.trial;
    EXPECT_EQ(trial.evaluation.auprc, setting::Auprc::sweep);
    EXPECT_EQ(nli_of(entry, "snli").threshold, "snli_dev");
    EXPECT_EQ(nli_of(entry, "mnli").threshold, "snli_dev");
    EXPECT_EQ(nli_of(entry, "mnli").file.filename(), "multinli_1.0_dev_mismatched.jsonl");
    EXPECT_EQ(nli_of(entry, "sick").threshold, "snli_dev");
    EXPECT_EQ(nli_of(entry, "sick").file.filename(), "SICK_test_annotated.txt");
    EXPECT_EQ(nli_of(entry, "sick").two_way_pairs, setting::TwoWayPairs::keep);
    EXPECT_EQ(nli_of(entry, "sick_directions").file.filename(), "SICK.txt");
    EXPECT_EQ(nli_of(entry, "sick_directions").two_way_pairs, setting::TwoWayPairs::drop);
    if (label(entry, "method") == "simcse") continue;
    EXPECT_EQ(trial.recipe, setting::Recipe::paper);
    EXPECT_EQ(trial.training.epochs, 3);
    EXPECT_EQ(trial.select, (Trial::Select{"snli_dev", "auprc"}));
    EXPECT_EQ(task_of(entry, "snli_dev").eval_every, 100);
    EXPECT_EQ(std::pair(trial.training.batch_size, trial.training.learning_rate), best.at(backbone_of(entry)));
    EXPECT_EQ(label(entry, "loss"), name_of(trial.objective.loss));
    trained[backbone_of(entry)].emplace(trial.objective.loss, trial.training.seed);
  }
  std::set<std::pair<Loss, std::int64_t>> all;
  for (const Loss loss : four_losses)
    for (std::int64_t seed = 0; seed < 5; ++seed) all.emplace(loss, seed);
  EXPECT_EQ(trained.size(), 4u);
  for (const auto& [backbone, trials] : trained) EXPECT_EQ(trials, all) << backbone;
}

/// Supervised SimCSE as its authors train it, not by GaussCSE's choice.
TEST_F(PaperStudies, SimcseIsTrainedAsByItsAuthors) {
  for (const char* study : {"gausscse-v2-nli", "gausscse-v1"}) {
    std::set<std::int64_t> seeds;
    for (const StudyPlanEntry& entry : of_stage(files_.plan(study, [](const PlannedTrial&) { return 0.5; }), "final")) {
      if (label(entry, "method") != "simcse") continue;
      const Trial& trial = *entry.trial;
      EXPECT_EQ(backbone_of(entry), "bert-base-uncased");
      EXPECT_EQ(trial.recipe, setting::Recipe::simcse);
      EXPECT_EQ(trial.objective.kind, ObjectiveKind::cosine_contrastive);
      EXPECT_TRUE(trial.objective.hard_negatives);
      EXPECT_EQ(trial.training.batch_size, 512);
      EXPECT_EQ(trial.training.learning_rate, 5e-5);
      EXPECT_EQ(trial.training.epochs, 3);
      EXPECT_EQ(trial.select, (Trial::Select{"stsb_dev", "spearman"}));
      EXPECT_EQ(task_of(entry, "stsb_dev").eval_every, 125);
      EXPECT_EQ(task_of(entry, "snli_dev").eval_every, 0);
      seeds.insert(trial.training.seed);
    }
    EXPECT_EQ(seeds, (std::set<std::int64_t>{0, 1, 2, 3, 4})) << study;
  }
}

TEST_F(PaperStudies, V1HasItsOwnProtocol) {
  const Entries entries = files_.plan("gausscse-v1", [](const PlannedTrial& trial) {
    return *label_on(trial, "training.batch_size") == "256" && *label_on(trial, "training.learning_rate") == "3e-5"
               ? 1.0
               : 0.5;
  });
  Entries choose = of_stage(entries, "choose"), final = of_stage(entries, "final");
  const auto is_simcse = [](const StudyPlanEntry& entry) { return label(entry, "method") == "simcse"; };
  std::erase_if(choose, is_simcse);
  std::erase_if(final, is_simcse);
  EXPECT_EQ(grid_of(choose), product_of({"bert-base-uncased"}, {16, 32, 64, 128, 256}));
  std::set<Loss> losses;
  for (const StudyPlanEntry& entry : final) {
    EXPECT_EQ(entry.trial->recipe, setting::Recipe::paper);
    EXPECT_EQ(entry.trial->training.batch_size, 256);
    EXPECT_EQ(entry.trial->training.learning_rate, 3e-5);
    EXPECT_EQ(entry.trial->evaluation.two_way_pairs, setting::TwoWayPairs::keep);
    EXPECT_EQ(nli_of(entry, "snli").threshold, "snli_dev");
    EXPECT_EQ(nli_of(entry, "sick").threshold, "sick_dev");
    EXPECT_EQ(nli_of(entry, "sick").file.filename(), "SICK_test_annotated.txt");
    EXPECT_EQ(nli_of(entry, "sick_dev").threshold, "own");
    EXPECT_EQ(nli_of(entry, "sick_dev").file.filename(), "SICK_trial.txt");
    losses.insert(entry.trial->objective.loss);
  }
  EXPECT_EQ(losses, four_losses);
}

TEST_F(PaperStudies, GridsOfTheReleasedProgram) {
  // The stage takes the trial that the dev set prefers for each loss: here the one with the highest dev metric.
  const auto dev = [](const PlannedTrial& trial) {
    return *label_on(trial, "training.batch_size") == "64" && *label_on(trial, "training.learning_rate") == "3e-5"
               ? 0.9
               : 0.5;
  };
  const Entries entries = files_.plan("gausscse-released-grid", dev);
  const Entries best = of_stage(entries, "best");
  EXPECT_EQ(best.size(), 16u);
  for (const StudyPlanEntry& entry : best) {
    EXPECT_EQ(entry.trial->training.batch_size, 64);
    EXPECT_EQ(entry.trial->training.learning_rate, 3e-5);
  }
  const Entries losses = of_stage(entries, "losses"), temperatures = of_stage(entries, "temperatures");
  const std::set<std::int64_t> batch_sizes = {16, 32, 64, 128, 256, 512};
  for (const Loss loss : four_losses) {
    Entries of_loss = losses;
    std::erase_if(of_loss, [&](const StudyPlanEntry& entry) { return entry.trial->objective.loss != loss; });
    EXPECT_EQ(grid_of(of_loss), product_of(four_backbones, batch_sizes));
  }
  for (const double temperature : {0.001, 0.01, 0.05, 0.1}) {
    Entries of_temperature = temperatures;
    std::erase_if(of_temperature,
                  [&](const StudyPlanEntry& e) { return e.trial->objective.temperature != temperature; });
    EXPECT_EQ(grid_of(of_temperature), product_of({"bert-base-uncased"}, batch_sizes));
    EXPECT_EQ(of_temperature.size(), 18u);
  }
  std::set<std::string> distinct;
  for (const StudyPlanEntry& entry : entries) {
    EXPECT_EQ(entry.trial->recipe, setting::Recipe::released);
    if (entry.planned.stage == "temperatures") {
      EXPECT_EQ(entry.trial->objective.loss, Loss::ent_con_rev);
    }
    distinct.insert(entry.planned.identity);
  }
  // Those at 0.05 are in both.
  EXPECT_EQ(distinct.size(), 288u + 72u - 18u);
}

TEST_F(PaperStudies, DynamicsChangeOneSettingAtATime) {
  using Settings = std::tuple<double, std::int64_t, PoolingKind>;
  std::map<std::string, std::set<Settings>> tried;
  for (const StudyPlanEntry& entry : files_.plan("isotropy-dynamics")) {
    const Trial& trial = *entry.trial;
    EXPECT_EQ(trial.recipe, setting::Recipe::dynamics);
    EXPECT_EQ(task_of(entry, "tokens").eval_every, 200);
    EXPECT_TRUE(trial.select.task.empty());
    tried[backbone_of(entry)].emplace(trial.objective.temperature, trial.training.batch_size, *trial.model.pooling);
  }
  std::set<Settings> expected;
  for (const double temperature : {0.001, 0.01, 0.025, 0.05, 0.1, 1.0})
    expected.emplace(temperature, 64, PoolingKind::mean);
  for (const std::int64_t batch_size : {16, 64, 256}) expected.emplace(0.05, batch_size, PoolingKind::mean);
  for (const PoolingKind pooling : {PoolingKind::mean, PoolingKind::first_token, PoolingKind::max})
    expected.emplace(0.05, 64, pooling);
  const std::map<std::string, std::set<Settings>> of_both = {{"mpnet-base", expected},
                                                             {"MiniLM-L6-H384-uncased", expected}};
  EXPECT_EQ(tried, of_both);
}

/// The only step is the first of a warm-up, whose rate is 0.
TEST_F(PaperStudies, GeometryIsMeasuredOfModelsAsTheyAre) {
  std::map<std::string, std::set<std::string>> identities, models;
  for (const StudyPlanEntry& entry : files_.plan("isotropy-geometry")) {
    identities[label(entry, "backbone")].insert(entry.planned.identity);
    models[entry.planned.stage].insert(backbone_of(entry));
    const Trial::Training& training = entry.trial->training;
    EXPECT_EQ(training.max_steps, 1);
    EXPECT_EQ(training.warmup_ratio, 1);
    EXPECT_EQ(training.schedule, setting::Schedule::warmup_decay);
    EXPECT_EQ(training.precision, Precision::full);
    EXPECT_TRUE(std::get<GeometryTaskSettings>(task_of(entry, "tokens").of_kind).measured.pads);
  }
  EXPECT_EQ(identities.size(), 4u);
  for (const auto& [backbone, of_backbone] : identities) EXPECT_EQ(of_backbone.size(), 1u) << backbone;
  const std::set<std::string> minilm{"MiniLM-L6-H384-uncased", "minilm"}, mpnet{"mpnet-base", "all-mpnet-base-v2"};
  std::set<std::string> all = minilm;
  all.insert(mpnet.begin(), mpnet.end());
  EXPECT_EQ(models,
            (std::map<std::string, std::set<std::string>>{{"measure", all}, {"minilm", minilm}, {"mpnet", mpnet}}));
}

/// Meaning of a label of Liao's: limits of positives and negatives, weight and temperature of the contrastive loss.
struct LiaoRun {
  std::optional<std::int64_t> positives, negatives;
  double weight, temperature;
};

TEST_F(PaperStudies, LiaoTrainsWhatItsLabelsSay) {
  const std::optional<std::int64_t> all, three = 3;
  std::map<std::string, LiaoRun> runs = {{"3p3n-lambda0.5-SCL", {three, three, 0.5, 1}},
                                         {"3palln-lambda0.5-SCL", {three, all, 0.5, 1}},
                                         {"3all3n-lambda1.0-SCL", {three, three, 1, 1}},
                                         {"3palln-lambda1.0-SCL", {three, all, 1, 1}},
                                         {"allpalln-lambda1.0-SCL", {all, all, 1, 1}}};
  for (const auto& [word, weight] : std::map<std::string, double>{
           {"0.1", 0.1}, {"0.3", 0.3}, {"0.5", 0.5}, {"0.7", 0.7}, {"0.9", 0.9}, {"1.0", 1}}) {
    if (weight < 1) runs["allpalln-lambda" + word + "-SCL"] = {all, all, weight, 1};
    runs["allpalln-lambda0.5-tau" + word + "-SCL"] = {all, all, 0.5, weight};
  }
  std::set<std::string> labels, identities;
  for (const StudyPlanEntry& entry : files_.plan("liao")) {
    SCOPED_TRACE(title_of(entry.planned));
    const Trial& trial = *entry.trial;
    const ObjectiveSettings& objective = trial.objective;
    const std::string loss = label(entry, "loss");
    labels.insert(loss);
    identities.insert(entry.planned.identity);
    EXPECT_EQ(trial.recipe, setting::Recipe::liao);
    EXPECT_EQ(backbone_of(entry), "bert_uncased_L-8_H-512_A-8");
    EXPECT_TRUE(trial.select.task.empty());
    EXPECT_EQ(std::get<StsTaskSettings>(task_of(entry, "sts14").of_kind).files.at(0).filename(), "sts14");
    const auto& transfer = std::get<TransferTaskSettings>(task_of(entry, "transfer").of_kind);
    EXPECT_EQ(transfer.folder.filename(), "senteval");
    EXPECT_EQ(transfer.tasks.size(), 8u);
    EXPECT_EQ(transfer.mode, setting::TransferMode::fast);
    if (loss.find("lambda1.0") == std::string::npos) {
      EXPECT_EQ(std::get<NliLabelsTaskSettings>(task_of(entry, "snli").of_kind).file.filename(), "snli_1.0_test.jsonl");
    }
    if (loss == "ce") {
      EXPECT_EQ(objective.kind, ObjectiveKind::pair_classification);
    } else if (loss.ends_with("-Augment")) {
      EXPECT_EQ(objective.kind, ObjectiveKind::augmented_classification);
      EXPECT_EQ(objective.positives, loss.starts_with("3p3n") ? three : all);
      EXPECT_EQ(objective.negatives, loss.starts_with("3p3n") ? three : all);
      EXPECT_EQ(objective.other_premise_label, OtherPremiseLabel::neutral);
    } else {
      const LiaoRun& run = runs.at(loss);
      ASSERT_EQ(objective.kind, ObjectiveKind::sum);
      ASSERT_EQ(objective.terms.size(), run.weight < 1 ? 2u : 1u);
      if (run.weight < 1) {
        EXPECT_EQ(objective.terms[0].objective.kind, ObjectiveKind::pair_classification);
        EXPECT_DOUBLE_EQ(objective.terms[0].weight, 1 - run.weight);
      }
      const ObjectiveTerm& contrast = objective.terms.back();
      EXPECT_EQ(contrast.objective.kind, ObjectiveKind::supervised_contrastive);
      EXPECT_DOUBLE_EQ(contrast.weight, run.weight);
      EXPECT_EQ(contrast.objective.positives, run.positives);
      EXPECT_EQ(contrast.objective.negatives, run.negatives);
      EXPECT_EQ(contrast.objective.temperature, run.temperature);
    }
  }
  EXPECT_EQ(labels.size(), 3 + runs.size());
  // The temperature 1 is said in one label and not in the other.
  EXPECT_EQ(identities.size(), labels.size() - 1);
}

TEST_F(PaperStudies, SmallStudyOnRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  namespace fs = std::filesystem;
  const std::map<std::string, std::string> parts = {{"snli_1.0_train.jsonl", "snli_1.0-subset"},
                                                    {"snli_1.0_dev.jsonl", "snli_1.0-subset"},
                                                    {"snli_1.0_test.jsonl", "snli_1.0-subset"},
                                                    {"multinli_1.0_train.jsonl", "multinli_1.0-subset"},
                                                    {"multinli_1.0_dev_mismatched.jsonl", "multinli_1.0-subset"},
                                                    {"SICK.txt", "SICK"},
                                                    {"SICK_test_annotated.txt", "SICK"},
                                                    {"sts", "."}};
  const fs::path corpora = files_.root() / "corpora";
  fs::remove_all(corpora);
  fs::create_directory(corpora);
  for (const auto& [name, part] : parts) fs::create_symlink(real_data() / part / name, corpora / name);
  const auto metric = [](const PlannedTrial& trial) {
    return *label_on(trial, "training.batch_size") == "64" && *label_on(trial, "training.learning_rate") == "5e-4"
               ? 1.0
               : 0.5;
  };
  const Entries entries = files_.plan("minilm-small", metric);
  EXPECT_EQ(of_stage(entries, "choose").size(), 5u);
  const Entries final = of_stage(entries, "final");
  EXPECT_EQ(final.size(), 15u);
  for (const StudyPlanEntry& entry : final) {
    SCOPED_TRACE(title_of(entry.planned));
    EXPECT_EQ(entry.planned.identity.size(), 32u);
    for (const fs::path& file : entry.trial->data.train) EXPECT_TRUE(fs::is_regular_file(file)) << file;
    const bool simcse = label(entry, "method") == "simcse";
    EXPECT_EQ(entry.trial->training.batch_size, 64);
    EXPECT_EQ(entry.trial->training.learning_rate, simcse ? 1e-4 : 5e-4);
    EXPECT_EQ(entry.trial->recipe, simcse ? setting::Recipe::simcse : setting::Recipe::released);
    EXPECT_EQ(entry.trial->training.max_tokens, 32);
  }
}

}  // namespace
}  // namespace gausscse
