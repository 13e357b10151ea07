#include "experiments/training/train_trial.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "dist/agreement.hpp"
#include "dist/slow_work.hpp"
#include "experiments/results/result_file.hpp"
#include "experiments/training/arithmetic.hpp"
#include "experiments/training/finished_result.hpp"
#include "experiments/training/model_card.hpp"
#include "experiments/training/output_folder.hpp"
#include "experiments/training/resume.hpp"
#include "experiments/training/trainer.hpp"
#include "experiments/training/trial_data.hpp"
#include "model/initialize.hpp"
#include "model/model_folder.hpp"
#include "model/objective/gaussian_contrastive.hpp"

namespace gausscse {

namespace {

/// 0: as is fastest.
std::int64_t virtual_shards(const Trial& trial) {
  return trial.reproducibility == setting::Reproducibility::rank_invariant ? trial.training.virtual_shards : 0;
}

SentenceEncoderSettings encoder_settings(const Trial& trial, const EncoderConfig& config) {
  SentenceEncoderSettings settings;
  settings.encoder = config;
  settings.pooling = trial.pooling;
  settings.head.mean = trial.head.mean;
  settings.precision = trial.training.precision;
  settings.fixed_tiles = virtual_shards(trial) > 0;
  return settings;
}

void initialize(const Trial& trial, SentenceEncoder& encoder, TrainingObserver& observer) {
  const auto seed = static_cast<std::uint64_t>(trial.training.seed);
  if (trial.backbone.init == setting::Init::random) {
    initialize_encoder(encoder.parameters(), seed);
  } else {
    for (const std::string& name : load_encoder_weights(trial.backbone.path, encoder))
      observer.on_note(concat("not part of the encoder, dropped: ", name));
  }
  initialize_head(encoder.parameters(), seed);
  encoder.parameters_changed();
}

using Contents = std::vector<std::pair<std::string, std::string>>;

Contents data_hashes(const Trial& trial, const TrialData& data) {
  Contents hashes;
  for (std::size_t i = 0; i < trial.data.train.size(); ++i)
    hashes.emplace_back(trial.data.train[i].string(), data.train->content_hashes()[i]);
  hashes.emplace_back(trial.data.dev.string(), content_hash(trial.data.dev));
  for (const auto& [name, file] : trial.data.test) {
    hashes.emplace_back(file.string(), content_hash(file));
    if (const std::filesystem::path* own_dev = own_dev_of(trial, name))
      hashes.emplace_back(own_dev->string(), content_hash(*own_dev));
  }
  return hashes;
}

/// What a run starts from beside its data: a model folder may be another one on every node, or change before a restart.
Contents backbone_hashes(const Trial& trial, const TrialData& data, const SentenceEncoder& encoder) {
  Contents hashes{{"the tokenizer", data.tokenizer->fingerprint()}};
  if (!trial.backbone.path.empty()) {
    const auto config = trial.backbone.path / "config.json";
    hashes.emplace_back(config.string(), content_hash(config));
  }
  const at::Tensor& values = encoder.parameters().values();
  hashes.emplace_back("the initial weights",
                      content_hash_of({static_cast<const char*>(values.const_data_ptr()), values.nbytes()}));
  return hashes;
}

RunPaths paths_of(const Trial& trial, const TrainOptions& options) {
  RunPaths paths{
      .output = trial.output, .report = options.report, .token_cache = token_cache_folder(trial.data), .inputs = {}};
  const auto add = [&](std::string name, const std::filesystem::path& path) {
    if (!path.empty()) paths.inputs.push_back({std::move(name), path});
  };
  add("the trial", options.trial_file);
  add("backbone.path", trial.backbone.path);
  add("backbone.tokenizer", trial.backbone.tokenizer);
  for (const auto& file : trial.data.train) add("data.train", file);
  add("data.dev", trial.data.dev);
  for (const auto& [name, file] : trial.data.test) add(concat("data.test.", name), file);
  for (const auto& [name, file] : trial.data.own_dev) add(concat("data.own_dev.", name), file);
  return paths;
}

/// Warns of ranks that the batches leave without work.
void check_work(const Trial& trial, Communicator& communicator, TrainingObserver& observer) {
  const std::int64_t shards = virtual_shards(trial);
  const std::int64_t parts = shards > 0 ? std::min(shards, trial.training.batch_size) : trial.training.batch_size;
  if (communicator.size() > parts)
    observer.on_warning(concat(communicator.size(), " ranks share batches of ", parts,
                               parts == shards ? " virtual shards" : " triples", ": some have nothing to do"));
}

}  // namespace

RunResult train_trial(const Trial& trial, const TrainOptions& options, Communicator& communicator,
                      TrainingObserver& observer, TrainingRequests& requests) {
  check_arithmetic(trial, options.provenance, observer);
  const OutputFolder output(paths_of(trial, options), communicator, observer);
  std::optional<SlowWork> reading(std::in_place, communicator);
  const TrialData data = load_trial_data(trial, options.threads, communicator, observer);
  SentenceEncoder encoder(encoder_settings(trial, data.encoder));
  initialize(trial, encoder, observer);
  const GaussianContrastive objective(trial.loss, trial.similarity, trial.training.temperature);

  RunResult result;
  result.configuration = to_yaml(trial);
  result.provenance = options.provenance;
  result.provenance.ranks = communicator.size();
  result.provenance.threads = static_cast<std::int64_t>(options.threads);
  Contents& contents = result.provenance.data_hashes = data_hashes(trial, data);
  for (auto& content : backbone_hashes(trial, data, encoder)) contents.push_back(std::move(content));
  const std::string configuration = resumable_configuration(trial, contents);
  const std::string run = content_hash_of(configuration);
  reading.reset();
  check_agreement(communicator, "the configuration", configuration);
  if (!options.overwrite) {
    if (auto finished = finished_result(output.result(), configuration, communicator)) {
      observer.on_note("this trial has its result already: nothing to do (--overwrite trains it anew)");
      if (communicator.is_root()) output.checkpoints().remove();
      return std::move(*finished);
    }
    output.check_model_of(run, communicator);
  }

  std::optional<CheckpointWriter> checkpoints;
  check_work(trial, communicator, observer);
  if (communicator.is_root()) checkpoints.emplace(output.checkpoints(), configuration);

  Trainer trainer({.encoder = encoder,
                   .objective = objective,
                   .train = *data.train,
                   .dev = *data.dev,
                   .tests = data.tests,
                   .communicator = communicator,
                   .observer = observer,
                   .requests = requests,
                   .checkpoints = checkpoints ? &*checkpoints : nullptr},
                  trial.training, trial.data.last_batch, virtual_shards(trial));
  output.remove_result(communicator);
  if (const auto state =
          state_to_resume(output.checkpoints(), configuration, options.overwrite, communicator, observer)) {
    trainer.restore(*state, result);
    observer.on_note(concat("going on after step ", trainer.done_steps(), " of ", trainer.total_steps(),
                            ", from the checkpoint in ", output.checkpoints().path().string()));
  }
  output.mark(run, communicator);
  trainer.run(result);

  if (communicator.is_root()) {
    const SlowWork writing(communicator);
    // The last one may still have been on its way to the disk after the last step.
    checkpoints->finish();
    for (const std::string& problem : checkpoints->take_problems()) observer.on_warning(problem);
    const StateResult& kept = state_of(result, name_of(trial.training.keep));
    save_model(output.model(), encoder,
               {.similarity = trial.similarity,
                .threshold = kept.dev->threshold,
                .max_tokens = trial.training.max_tokens,
                .trim = trial.data.trim,
                .state = kept.state,
                .step = kept.step,
                .evaluation = to_words(nli_settings(trial, options.threads).scoring)},
               data.tokenizer->files(), model_card(trial, kept));
    // Last: its presence says that the run is complete.
    write_result(output.result(), result);
    checkpoints.reset();
    output.checkpoints().remove();
  }
  communicator.barrier();
  return result;
}

}  // namespace gausscse
