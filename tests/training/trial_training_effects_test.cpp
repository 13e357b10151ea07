#include <fcntl.h>
#include <sys/mman.h>

#include "dist/communicator.hpp"
#include "model/folder/model_folder.hpp"
#include "model/initialize.hpp"
#include "model/weights/encoder_family.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"

// Effects of the keys of a trial on a training, besides those whose effect train_trial_golden_test.cpp compares by
// value. They are model.head, model.pooling, all of objective, recipe, data.last_batch and evaluation.auprc. Of
// training they are epochs, batch_size, learning_rate, warmup_ratio, weight_decay, decay_biases_and_norms, schedule,
// max_tokens, seed (order, head and dropout), max_steps, clip_norm and dropout.

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

/// Overwrites a file through a shared mapping of it after the first step of a training.
class OverwritesAfterAStep : public NoRequests {
 public:
  explicit OverwritesAfterAStep(const std::filesystem::path& file)
      : file_(::open(file.c_str(), O_RDWR | O_CLOEXEC)), size_(std::filesystem::file_size(file)) {
    mapping_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (mapping_ == MAP_FAILED) throw std::runtime_error("no mapping");
  }
  OverwritesAfterAStep(const OverwritesAfterAStep&) = delete;
  OverwritesAfterAStep& operator=(const OverwritesAfterAStep&) = delete;
  ~OverwritesAfterAStep() override { ::munmap(mapping_, size_); }

  bool stop() override {
    ++calls_;
    std::memset(mapping_, ' ', size_);
    return false;
  }
  int calls() const { return calls_; }

 private:
  FileDescriptor file_;
  std::size_t size_;
  void* mapping_ = nullptr;
  int calls_ = 0;
};

/// Each epoch reads the training's own copy of the sentences.
TEST_F(TrialTraining, AFileThatChangesThroughAMappingDuringTheTrainingChangesNothing) {
  Trial trial = training_.trial(joined(keep_last, {"training.epochs=3"}));
  const std::string text = read_whole_file(trial.data.train.at(0), 1 << 24);
  trial.data.train = {training_.write("train" + trial.data.train[0].extension().string(), text)};
  const TinyRun undisturbed = training_.train(trial);
  trial.output = training_.folder / "disturbed";
  RecordingObserver told;
  OverwritesAfterAStep requests(trial.data.train[0]);
  const RunResult result = train_trial(trial, training_.options, *make_self_communicator(), told, requests);
  EXPECT_GT(requests.calls(), 8) << "more than two epochs follow";
  ASSERT_EQ(read_whole_file(trial.data.train[0], 1 << 24), std::string(text.size(), ' '));
  EXPECT_EQ(result.provenance.data_hashes, undisturbed.result.provenance.data_hashes);
  EXPECT_EQ(result.provenance.input_hashes, undisturbed.result.provenance.input_hashes);
  EXPECT_TRUE(read_whole_file(trial.output / "model/model.safetensors", 1 << 28) ==
              read_whole_file(undisturbed.model / "model.safetensors", 1 << 28));
}

TEST_F(TrialTraining, MicroBatchIsTheSizeOfMicroBatches) {
  const auto told = [&](const Texts& overrides) { return train(joined({"training.max_steps=2"}, overrides)); };
  const TinyRun whole = told({});
  EXPECT_TOLD(whole.told.details,
              "a step embeds this rank's local batch of 7 examples in 1 micro-batches of at most 7");
  const TinyRun micro_batches = told({"training.micro_batch=3"});
  EXPECT_TOLD(micro_batches.told.details,
              "a step embeds this rank's local batch of 7 examples in 3 micro-batches of at most 3");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(micro_batches.result.training.loss[i], whole.result.training.loss[i],
                1e-5 * whole.result.training.loss[i]);
}

/// Shards of a batch of seven: four of at most two triples, or two of at most four; a piece is a shard at least.
TEST_F(TrialTraining, VirtualShardsAreThoseOfRankInvariant) {
  const auto details = [&](const std::string& shards, const std::string& reproducibility,
                           const std::string& micro_batch = "1") {
    return train({"training.max_steps=1", "training.micro_batch=" + micro_batch, "training.virtual_shards=" + shards,
                  "reproducibility=" + reproducibility})
        .told.details;
  };
  EXPECT_TOLD(details("4", "rank_invariant"), "in 4 micro-batches of at most 2");
  EXPECT_TOLD(details("2", "rank_invariant"), "in 2 micro-batches of at most 4");
  EXPECT_TOLD(details("4", "rank_invariant", "4"), "in 2 micro-batches of at most 4");
  EXPECT_TOLD(details("4", "fast"), "in 7 micro-batches of at most 1");
}

TEST(TrialTrainingOptions, ThreadsAreToldInTheResult) {
  TinyTraining training;
  for (const std::size_t threads : {1, 3}) {
    training.options.threads = threads;
    const TinyRun run = training.train(Texts{"training.max_steps=1"});
    EXPECT_EQ(run.result.provenance.threads, static_cast<std::int64_t>(threads));
  }
}

/// A checkpoint every so many steps, and one after the last where there were others.
TEST_F(TrialTraining, CheckpointsAreWrittenWhenTheyAreDue) {
  const auto steps = [&](const Texts& overrides) {
    Texts told;
    for (const std::string& detail :
         train(joined({"training.max_steps=5", "training.checkpoint_minutes=0"}, overrides)).told.details)
      if (detail.starts_with("checkpoint after step ")) told.push_back(detail.substr(22));
    return told;
  };
  EXPECT_EQ(steps({}), Texts{});
  EXPECT_EQ(steps({"training.checkpoint_every=2"}), (Texts{"2", "4", "5"}));
  EXPECT_EQ(steps({"training.checkpoint_every=3"}), (Texts{"3", "5"}));
  EXPECT_EQ(steps({"training.checkpoint_minutes=1.0e-9"}), (Texts{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(steps({"training.checkpoint_minutes=10000"}), Texts{});
}

/// 0 is none: the task is then measured at the end alone.
TEST_F(TrialTraining, EvalEveryIsTheDistanceOfATasksMeasurements) {
  using Steps = std::vector<std::int64_t>;
  const auto curves = [&](const char* of_dev, const char* of_other) {
    return train({"training.max_steps=6", concat("tasks.dev.eval_every=", of_dev),
                  concat("tasks.other={kind: nli, files: \"", golden("training/dev.jsonl").string(),
                         "\", threshold: dev, eval_every: ", of_other, "}")})
        .result.curves;
  };
  const std::vector<Curve> both = curves("2", "3");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].task, "dev");
  EXPECT_EQ(both[0].step, (Steps{0, 2, 4, 6}));
  EXPECT_EQ(both[1].task, "other");
  EXPECT_EQ(both[1].step, (Steps{0, 3, 6}));
  const std::vector<Curve> one = curves("4", "0");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].step, (Steps{0, 4, 6}));
}

/// bfloat16 has eight bits: losses are near those of float32, and not the same.
TEST_F(TrialTraining, PrecisionIsThatOfMatmuls) {
  const Texts dropout_off{"training.dropout=0", "training.learning_rate=1.0e-3"};
  Texts bf16 = dropout_off;
  bf16.push_back("training.precision=bf16");
  const auto full = train(dropout_off).result.training.loss, rounded = train(bf16).result.training.loss;
  ASSERT_EQ(full.size(), rounded.size());
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_NEAR(rounded[i], full[i], 0.02 * full[i]) << i;
    EXPECT_NE(rounded[i], full[i]) << i;
  }
}

/// The embeddings and the first of two layers keep the backbone's bits, in spite of weight decay.
TEST_F(TrialTraining, TrainsFromALayerOn) {
  const TinyRun run = train({"training.max_steps=4", "training.learning_rate=0.01", "training.weight_decay=0.5",
                             "training.parameters={from_layer: 1}", "select.task=\"\"", "select.figure=\"\""});
  const SavedModel saved = open_model(run.model, std::nullopt);
  const ParameterStore& trained = saved.encoder->parameters();
  SentenceEncoder backbone({.encoder = saved.encoder->settings().encoder});
  load_encoder_weights(training_.folder / "model", backbone);
  const std::int64_t first = trained.offset(trained.index_of("encoder.layer.1.attention.self.query.weight"));
  EXPECT_TRUE(trained.values().narrow(0, 0, first).equal(backbone.parameters().values().narrow(0, 0, first)));
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const std::string& name = trained.specs()[i].name;
    if (trained.offset(i) < first || name.starts_with("head.")) continue;
    EXPECT_FALSE(trained.value(name).equal(backbone.parameters().value(name))) << name;
  }
  const std::int64_t count = trained.values().numel();
  EXPECT_TOLD(run.told.notes, concat("training.parameters: {from_layer: 1} trains ", count - first, " of ", count,
                                     " parameters, and holds the embeddings and the layers before 1 of 2"));
  EXPECT_EQ(refusal_of([&] { train({"training.parameters={from_layer: 2}"}); }),
            "training.parameters is {from_layer: 2}, but the encoder has 2 layers, counted from 0: give from_layer 0 "
            "to 1, or training.parameters: head to train no layer");
}

/// The folder's config.json has 0.1 for both.
TEST_F(TrialTraining, DropoutIsTheConfigsUnlessGiven) {
  const auto losses = [&](const char* dropout) {
    return train({std::string("training.dropout=") + dropout, "training.max_steps=2"}).result.training.loss;
  };
  const auto of_config = losses("from_config");
  EXPECT_EQ(of_config, losses("0.1"));
  EXPECT_NE(of_config, losses("0"));
}

/// The module Transformer of a folder of sentence-transformers may lie apart.
TEST_F(TrialTraining, AFolderOfSentenceTransformersIsABackbone) {
  const std::filesystem::path folder = training_.folder / "st";
  std::filesystem::create_directories(folder);
  std::filesystem::copy(training_.folder / "model", folder / "0_Transformer", std::filesystem::copy_options::recursive);
  write_bytes(folder / "modules.json", R"([
    {"idx": 0, "name": "0", "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  const Texts few{"training.max_steps=2"};
  const TinyRun run = train(joined(few, {"model.backbone.path=" + folder.string()}));
  EXPECT_EQ(run.result.training.loss, train(few).result.training.loss);
  write_bytes(folder / "modules.json", R"([{"path": "1", "type": "x.Pooling"}])");
  EXPECT_TRUE(
      says(refusal_of([&] { train({"model.backbone.path=" + folder.string()}); }), "has no module Transformer"));
}

/// The names of a trial are those of the families' published shapes.
TEST(NamedArchitectures, AreThoseThatATrialMayName) {
  std::size_t shapes = 0;
  for (const EncoderFamily& family : encoder_families())
    for (const NamedShape& shape : family.shapes) {
      ++shapes;
      const auto choice = find_choice<setting::Architecture>(shape.name);
      ASSERT_TRUE(choice.has_value()) << shape.name;
      EXPECT_EQ(named_encoder_config(name_of(*choice)), shape.config) << shape.name;
    }
  EXPECT_EQ(shapes, words_of<setting::Architecture>().size());
}

/// The only step has rate 0: the weights saved after it are the initial ones.
TEST_F(TrialTraining, ANamedArchitectureStartsFromRandomWeights) {
  Trial trial =
      training_.trial({"training.max_steps=1", "training.warmup_ratio=1", "training.batch_size=1", "training.seed=9"});
  trial.model.backbone = {.path = {},
                          .architecture = setting::Architecture::minilm_l6,
                          .init = setting::Init::random,
                          .tokenizer = trial.model.backbone.path};
  const TinyRun run = training_.train(trial);
  SentenceEncoder expected({.encoder = named_encoder_config("minilm-l6")});
  const EncoderConfig config = read_encoder_config(run.model);
  EXPECT_EQ(config.vocabulary_size, 60);
  EXPECT_EQ(config.layers, expected.settings().encoder.layers);
  EXPECT_EQ(config.hidden_size, expected.settings().encoder.hidden_size);
  SentenceEncoder initial({.encoder = config});
  initialize_encoder(initial.parameters(), 9);
  initialize_head(initial.parameters(), 9);
  const SavedModel saved = open_model(run.model, std::nullopt);
  EXPECT_TRUE(saved.encoder->parameters().values().equal(initial.parameters().values()));
}

}  // namespace
}  // namespace gausscse
