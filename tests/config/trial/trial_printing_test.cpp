#include "config/trial/trial_identity.hpp"
#include "config/trial/trial_keys.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

void expect_reads_back(const Trial& trial) {
  const std::string yaml = to_yaml(trial);
  EXPECT_EQ(parse(yaml), trial) << yaml;
  EXPECT_EQ(to_yaml(parse(yaml)), yaml);
}

TEST(TrialPrinting, EveryRecipeReadsBackEqual) {
  for (const auto& [recipe, name] : names<setting::Recipe>) {
    SCOPED_TRACE(name);
    expect_reads_back(parse(with(concat("recipe: ", name))));
  }
}

TEST(TrialPrinting, ValuesAwayFromTheDefaultsReadBackEqual) {
  Trial trial = parse(std::string(minimal_trial));
  trial.model.backbone = {
      .path = {}, .architecture = setting::Architecture::minilm_l6, .init = setting::Init::random, .tokenizer = "/t"};
  trial.objective.temperature = 0.1 + 0.2;
  trial.objective.with_simcse = true;
  trial.data.cache = "/c";
  trial.training.learning_rate = 0.1 + 0.2;
  trial.training.clip_norm = std::numeric_limits<double>::denorm_min();
  trial.training.weight_decay = 1.0 / 3;
  trial.training.dropout = 0.0;
  trial.data.dev_fraction = 1.0 / 7;
  trial.tasks = {
      {"held_out", 3, NliTaskSettings{}},
      {"x1e3", 5,
       NliTaskSettings{.file = "/n",
                       .threshold = "own",
                       .rows = setting::SickRows::test,
                       .two_way_pairs = setting::TwoWayPairs::drop,
                       .no_gold_label = setting::NoGoldLabel::drop,
                       .auprc = setting::Auprc::sweep}},
      {"null", 0, NliTaskSettings{.file = "/null", .threshold = "1e3"}},
      {"true", 0, NliTaskSettings{.file = "/t", .threshold = "0.25"}},
      {"a-b", 7, StsTaskSettings{.files = {"/x", "/y"}, .year = 14, .collapse_white_space = false}},
      {"-", 0, StsTaskSettings{.files = {"/x"}}},
      {"g", 9, GeometryTaskSettings{.file = "/g", .measured = {.pads = true, .samples = 2, .draws = 0, .seed = 3}}}};
  trial.select = {"a-b", "spearman", 6, 3};
  expect_reads_back(trial);

  trial.model.head.kind = HeadKind::mlp_tanh;
  trial.objective = {.kind = ObjectiveKind::cosine_contrastive,
                     .hard_negatives = true,
                     .hard_negative_weight = -2.5,
                     .directions = Directions::both};
  expect_reads_back(trial);

  trial.objective = {.kind = ObjectiveKind::cosine_contrastive, .hard_negatives = false};
  trial.data.examples = ExampleKind::entailment_pairs;
  trial.data.order = ExampleOrder::file;
  expect_reads_back(trial);
  trial.objective.false_negatives = FalseNegatives::mask_known;
  trial.data.batches = ExampleBatches::no_duplicates;
  expect_reads_back(trial);
}

TEST(TrialPrinting, AnyPathReadsBackEqual) {
  Trial trial = parse(std::string(minimal_trial));
  trial.data.train.clear();
  for (const char* name : {"a b",
                           "#",
                           "a: b",
                           "- x",
                           "\"quoted\"",
                           "'",
                           "back\\slash",
                           "tab\t",
                           "line\nbreak",
                           "*a",
                           "&a",
                           "{a}",
                           "~",
                           "null",
                           "12",
                           "caf\u00e9 \u4e2d\U0001F600",
                           "\u0085\u00a0\u2028\ufeff",
                           "\x01\x7f",
                           "%",
                           "@",
                           "`",
                           "trailing ",
                           "!!int 3",
                           "---",
                           "..a"}) {
    trial.data.train.push_back(std::filesystem::path("/base") / name);
  }
  expect_reads_back(trial);
}

/// Returns whether a file that is nested by sections has a line for the key, within its own section.
bool has_line(const std::string& yaml, const std::string& name) {
  std::istringstream lines(yaml), words(name);
  std::string line, word, indent;
  std::getline(words, word, '.');
  while (std::getline(lines, line)) {
    if (line.starts_with(concat(indent, word, ":"))) {
      if (!std::getline(words, word, '.')) return true;
      indent += "  ";
    } else if (!line.starts_with(indent)) {
      return false;  // behind the section
    }
  }
  return false;
}

TEST(TrialPrinting, ReadsBackAUsersNamesOfColumnsAndLabels) {
  const Trial trial = parse(
      "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\n"
      "data: {train: t, columns: {premise: p, hypothesis: h, label: l, entailed: e, contradicted: c}, "
      "labels: {entailment: 1, neutral: maybe, contradiction: -2}}\n");
  const CorpusLayout layout{.premise = "p",
                            .hypothesis = "h",
                            .label = "l",
                            .entailed = "e",
                            .contradicted = "c",
                            .entailment = "1",
                            .neutral = "maybe",
                            .contradiction = "-2"};
  EXPECT_EQ(trial.data.layout, layout);
  expect_reads_back(trial);
}

TEST(TrialPrinting, ReadsBackTheLabelOfPairsWithoutOne) {
  const auto of_labels = [](const std::string& labels) {
    const Trial trial = parse(concat("format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\n",
                                     "data: {train: t, labels: ", labels, "}\n"));
    expect_reads_back(trial);
    return trial.data.layout;
  };
  EXPECT_EQ(of_labels("{none: \"\"}"), CorpusLayout{.none = ""});
  EXPECT_EQ(of_labels("{entailment: yes, none: unsure}"), (CorpusLayout{.entailment = "yes", .none = "unsure"}));
  EXPECT_EQ(of_labels("{yes: entailment, unsure: none}"), (CorpusLayout{.entailment = "yes", .none = "unsure"}));
  EXPECT_EQ(of_labels("{none: neutral}"), CorpusLayout{.neutral = "none"}) << "a user's word, as before";
  EXPECT_EQ(of_labels("{entailment: yes}").none, std::nullopt);
}

/// Labels may be keys or values of their map, where only one of both can be meant.
TEST(TrialPrinting, LabelsAreReadInBothDirections) {
  const auto labels = [](const std::string& map, const std::vector<std::string>& overrides = {}) {
    return parse(concat("format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\n",
                        "data: {train: t, labels: ", map, "}\n"),
                 overrides);
  };
  const Trial expected = labels("{entailment: 0, neutral: 1, contradiction: 2}");
  EXPECT_EQ(expected.data.layout, (CorpusLayout{.entailment = "0", .neutral = "1", .contradiction = "2"}));
  for (const char* map :
       {"{0: entailment, 1: neutral, 2: contradiction}", "{2: contradiction, 0: entailment, 1: neutral}",
        "{\"0\": \"entailment\", \"1\": neutral, 2: contradiction}"}) {
    EXPECT_EQ(labels(map), expected) << map;
    EXPECT_EQ(identity_text(labels(map)), identity_text(expected)) << map;
    EXPECT_EQ(to_yaml(labels(map)), to_yaml(expected)) << map;
  }
  EXPECT_EQ(labels("{}", {"data.labels.0=entailment", "data.labels.1=neutral", "data.labels.2=contradiction"}),
            expected);
  EXPECT_EQ(labels("{yes: entailment}").data.layout, CorpusLayout{.entailment = "yes"});
  // Where both can be meant, the documented direction counts.
  EXPECT_EQ(labels("{entailment: contradiction, contradiction: entailment}").data.layout,
            (CorpusLayout{.entailment = "contradiction", .contradiction = "entailment"}));
  const auto refused = [&](const std::string& map) { return refusal_of([&] { labels(map); }); };
  EXPECT_TRUE(says(refused("{0: entailment, 1: entailment}"),
                   "trial.yaml:4:42: data.labels: \"0\" and \"1\" both mean entailment: give each label one value"));
  EXPECT_TRUE(says(refused("{0: entailment, neutral: 1}"), "the key \"data.labels.0\" is not known"));
  EXPECT_TRUE(says(refused("{0: entailment, 1: maybe}"), "the key \"data.labels.0\" is not known"));
}

TEST(TrialPrinting, AFolderOfTheHubIsItsShardsInOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"flat", "nested/data", "none/other"}) std::filesystem::create_directories(folder / name);
  for (const char* name : {"flat/train-00001-of-00002.parquet", "flat/train-00000-of-00002.parquet", "flat/train.csv",
                           "flat/test-00000-of-00001.parquet", "nested/data/train.parquet", "one.jsonl"})
    write_bytes(folder / name, "");
  const auto trained_on = [&](const std::string& files) {
    return parse_trial(concat("format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\ndata: {train: ",
                              files, "}\n"),
                       "trial.yaml", folder.path(), {})
        .data.train;
  };
  const std::vector<std::filesystem::path> shards{folder / "flat/train-00000-of-00002.parquet",
                                                  folder / "flat/train-00001-of-00002.parquet"};
  EXPECT_EQ(trained_on("flat"), shards);
  EXPECT_EQ(trained_on("[one.jsonl, nested]"),
            (std::vector<std::filesystem::path>{folder / "one.jsonl", folder / "nested/data/train.parquet"}));
  EXPECT_TRUE(says(refusal_of([&] { trained_on("none"); }),
                   "is a folder without files train*.parquet: name the files in it that are meant"));
}

TEST(TrialPrinting, NamesEveryKeyThatIsSetAndHasABearing) {
  for (const char* recipe : {"released", "simcse", "dynamics", "liao"}) {
    const Trial trial = parse(
        with(concat("recipe: ", recipe,
                    "\ntasks: {dev: {kind: sts, files: d, eval_every: 1}}\nselect: {task: dev, figure: spearman}")));
    const std::string yaml = to_yaml(trial);
    EXPECT_EQ(yaml.find("format: gausscse-trial/2\n"), 0u);
    std::size_t found = 0;
    for (const Key<Trial>& key : trial_keys()) {
      if (key.section() == "model.backbone" && key.name != "model.backbone.path" && key.name != "model.backbone.init")
        continue;                                     // in place of a path
      if (key.name == "format") continue;             // on the first line
      if (key.name == "data.dev_fraction") continue;  // none by default
      if (key.name.starts_with("data.columns.") || key.name.starts_with("data.labels.")) continue;  // none by default
      const bool printed = has_line(yaml, key.name);
      EXPECT_EQ(printed, key.applies(trial)) << key.name << "\n" << yaml;
      found += printed;
    }
    EXPECT_GT(found, 35u);
  }
  const std::string dynamics = to_yaml(parse(with("recipe: dynamics")));
  for (const char* absent :
       {"loss:", "similarity:", "with_simcse:", "hard_negative_weight:", "mean:", "triples:", "tasks:", "select:"})
    EXPECT_EQ(dynamics.find(absent), std::string::npos) << absent << "\n" << dynamics;
}

}  // namespace
}  // namespace gausscse
