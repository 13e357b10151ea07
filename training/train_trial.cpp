#include "training/train_trial.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/calibration/calibration.hpp"
#include "model/device/device_memory.hpp"
#include "model/folder/model_folder.hpp"
#include "model/folder/vector_head.hpp"
#include "model/folder/warm_start.hpp"
#include "model/folder/weights_hash.hpp"
#include "model/hub/given_folder.hpp"
#include "model/initialize.hpp"
#include "model/objective/configured_objective.hpp"
#include "results/result_file.hpp"
#include "training/arithmetic.hpp"
#include "training/backbone_measurement.hpp"
#include "training/candidate_exchange.hpp"
#include "training/continued_run.hpp"
#include "training/frozen_encoder.hpp"
#include "training/head_start.hpp"
#include "training/model_card.hpp"
#include "training/output_folder.hpp"
#include "training/resume.hpp"
#include "training/run_contents.hpp"
#include "training/run_notes.hpp"
#include "training/tensorboard_recorder.hpp"
#include "training/trainer.hpp"
#include "training/trial_data.hpp"

namespace gausscse {

namespace {

/// Returns the settings of the model; `vectors`, unless null, take the encoder's place.
SentenceEncoderSettings encoder_settings(const Trial& trial, const TrialData& data, const Objective& objective,
                                         at::Device device, PooledVectors* vectors) {
  SentenceEncoderSettings settings;
  settings.vectors = vectors;
  settings.encoder = data.encoder;
  settings.pooling = data.pooling;
  settings.head = trial.model.head;
  settings.objective = objective.parameters();
  if (trial.training.parameters == setting::TrainedParameters::from_layer)
    settings.first_trained_layer = trial.training.from_layer;
  settings.precision = vectors ? Precision::full : trial.training.precision;
  settings.fixed_tiles = virtual_shards(trial) > 0;
  settings.device = device;
  return settings;
}

/// Returns whether the data decide about the first log-variances.
bool initialize(const Trial& trial, SentenceEncoder& encoder, TrainingObserver& observer) {
  const auto seed = static_cast<std::uint64_t>(trial.training.seed);
  if (trial.model.backbone.init == setting::Init::random)
    initialize_encoder(encoder.parameters(), seed);
  else if (!encoder.settings().vectors)
    for (const std::string& line : load_encoder_weights(backbone_folder(trial).encoder, encoder))
      observer.on_note(line);
  const bool data_decide = start_head(trial, encoder, observer);
  initialize_objective(encoder.parameters(), seed);
  const std::filesystem::path& folder = trial.model.backbone.path;
  const bool has_weights = trial.model.backbone.init == setting::Init::weights && !folder.empty();
  if (has_weights && trial.model.head.init == setting::HeadInit::weights) {
    const LoadedPart part = load_classifier_weights(folder, encoder, classifier_of(trial.objective));
    if (!part.text.empty()) observer.on_note(part.text);
  } else if (has_weights && is_saved_model(folder) && classifier_of(trial.objective)) {
    observer.on_note(concat("the pair classifier of ", folder.string(), " is left out: model.head.init is ",
                            name_of(trial.model.head.init)));
  }
  encoder.parameters_changed();
  return data_decide;
}

/// Returns the folder of the curves for TensorBoard; empty where the trial asks for none.
std::filesystem::path curves_folder(const Trial& trial) {
  return trial.training.tensorboard ? trial.output / "tensorboard" : std::filesystem::path();
}

}  // namespace

RunResult train_trial(const Trial& given, const TrainOptions& options, Communicator& communicator,
                      TrainingObserver& observer_of_run, TrainingRequests& requests) {
  Trial trial = given;
  TensorboardRecorder observer(observer_of_run, communicator.is_root() ? curves_folder(trial) : "");
  trial.model.backbone.path = model_folder_of(given.model.backbone.path);
  check_arithmetic(trial, options.provenance, observer);
  RunPaths paths = paths_of_run(trial, options.trial_file, options.files);
  EarlierRun earlier;
  if (!options.continued.empty()) {
    check_apart(trial.output, options.continued);
    earlier = read_earlier_run(options.continued, trial, communicator);
    paths.inputs.push_back({"--continue", options.continued});
  }
  const OutputFolder output(paths, communicator, observer);
  observer.on_outputs_checked();
  LongOperation reading(communicator);
  const TrialData data = load_trial_data(trial, options.threads, communicator, observer);
  const ConfiguredObjective objective(trial.objective, head_width(trial.model.head.kind, data.encoder.hidden_size));
  const std::unique_ptr<SentenceEmbedder> rows = data.vectors ? data.vectors->embedder(options.device) : nullptr;
  std::optional<PooledVectors> vectors;
  if (rows) vectors.emplace(*rows);
  SentenceEncoder encoder(encoder_settings(trial, data, objective, options.device, vectors ? &*vectors : nullptr));
  const bool data_decide = initialize(trial, encoder, observer);
  tell_held(encoder, observer);
  std::optional<FrozenEncoder> frozen;
  if (trial.training.parameters == setting::TrainedParameters::head && !vectors) frozen.emplace(encoder);
  SentenceEncoder& trained = frozen ? frozen->trained() : encoder;

  RunResult result;
  result.configuration = to_yaml(trial);
  result.provenance = options.provenance;
  result.provenance.ranks = communicator.size();
  result.provenance.threads = static_cast<std::int64_t>(options.threads);
  Contents& contents = result.provenance.data_hashes = contents_of_run(trial, data, encoder);
  if (communicator.is_root()) result.provenance.input_hashes = input_hashes(trial, contents, observer);
  if (!options.continued.empty()) {
    compare_inputs(earlier, trial, contents, communicator);
    contents.emplace_back(continued_checkpoint, earlier.provenance.checkpoint);
    result.provenance.continued = earlier.provenance;
  }
  const std::string configuration = resumable_configuration(trial, contents);
  const std::string run = content_hash_of(configuration);
  reading.end();
  check_agreement(communicator, "the configuration", configuration);
  if (!options.overwrite) {
    if (auto finished = finished_result(output.result(), configuration, communicator)) {
      observer.on_note("this trial has its result already: nothing to do (--overwrite trains it again)");
      if (communicator.is_root() && !keeps_checkpoint(*finished)) output.checkpoints().remove();
      return std::move(*finished);
    }
    output.check_model_of(run, communicator);
  }
  output.check_room(encoder.parameters().values().nbytes(), communicator);

  std::optional<CheckpointWriter> checkpoints;
  check_work(trial, communicator, observer);
  tell_bounds(trial, observer);
  const CandidateExchange exchange = exchange_of(trial, objective.roles(), encoder.width(), communicator.size());
  if (exchange == CandidateExchange::ring)
    observer.on_note(concat("candidates travel around the ring of ", communicator.size(),
                            " ranks; gathered they would take ",
                            gathered_bytes(trial, objective.roles(), encoder.width()) >> 20, " MiB a rank"));
  if (communicator.is_root()) checkpoints.emplace(output.checkpoints(), configuration, result.configuration);

  std::function<StateResult()> measure_of_backbone;
  if (has_measured_backbone(trial))
    measure_of_backbone = [&] {
      // With the pooling that is trained, sentences that a frozen encoder has embedded are not embedded again.
      SentenceEncoder& backbone = data.own_pooling.value_or(data.pooling) == data.pooling ? trained : encoder;
      return measure_backbone(trial, data, options.threads, backbone, communicator, observer);
    };
  Trainer trainer({.encoder = trained,
                   .objective = objective,
                   .train = *data.train,
                   .tasks = data.tasks,
                   .communicator = communicator,
                   .observer = observer,
                   .requests = requests,
                   .checkpoints = checkpoints ? &*checkpoints : nullptr,
                   .measure_backbone = measure_of_backbone},
                  {.training = trial.training,
                   .select = trial.select,
                   .patience_from = earlier.patience_from,
                   .order = trial.data.order,
                   .batches = trial.data.batches,
                   .last_batch = trial.data.last_batch,
                   .virtual_shards = virtual_shards(trial),
                   .exchange = exchange});
  if (!options.continued.empty()) check_steps_are_left(earlier, trial, trainer.total_steps());
  output.remove_result(communicator);
  bool begins = true;
  const auto go_on_from = [&](const TrainingState& state, const std::filesystem::path& folder) {
    begins = false;
    trainer.restore(state, result);
    observer.on_resumed(result, trainer.total_steps());
    observer.on_note(concat("going on after step ", trainer.done_steps(), " of ", trainer.total_steps(),
                            ", from the checkpoint in ", folder.string()));
    tell_other_device(state, options.device, observer);
  };
  if (const auto state =
          state_to_resume(output.checkpoints(), configuration, options.overwrite, communicator, observer)) {
    go_on_from(*state, output.checkpoints().path());
  } else if (!options.continued.empty()) {
    broadcast_state(earlier.state, communicator);
    go_on_from(earlier.state, options.continued);
    for (const std::string& change : earlier.provenance.changes) observer.on_note("changed: " + change);
  }
  earlier.state = {};
  output.mark(run, communicator);
  if (frozen && trainer.done_steps() < trainer.total_steps())
    frozen->embed(*data.train, {token_cache_folder(trial.data), arithmetic_text(result.provenance)}, communicator,
                  observer, requests);
  if (begins && data_decide) start_log_var_at_data(*data.train, trained, communicator, observer);
  trainer.run(result);
  tell_left_out(trial, result.training, observer);
  if (frozen) frozen->take_trained();
  const ops::DeviceMemory memory = ops::device_memory(options.device);
  result.provenance.gpu_memory_taken = memory.most_taken;
  result.provenance.gpu_memory = memory.total;

  if (communicator.is_root()) {
    const LongOperation writing(communicator);
    // The last one may still have been on its way to the disk after the last step.
    checkpoints->finish();
    for (const std::string& problem : checkpoints->take_problems()) observer.on_warning(problem);
    const StateResult& kept = kept_state(result);
    ModelProperties properties = data.model.properties;
    if (const Measurement* source = source_of_threshold(trial, kept.tasks)) {
      properties.threshold = metric_of(*source, "threshold");
      if (!source->calibration.empty())
        properties.calibration = Calibration::parse(source->calibration, source->task)
                                     .with_weights(weights_hash(encoder.parameters()))
                                     .text();
    }
    properties.state = kept.state;
    properties.step = kept.step;
    const Tokenizer& tokenizer = *data.model.tokenizer;
    const std::string card = model_card(trial, data.pooling, kept);
    if (vectors)
      save_vector_head(output.model(), encoder, properties, card);
    else
      save_model(output.model(), encoder, properties, tokenizer.files(), card,
                 {.modules = trial.model.sentence_transformers, .lowers_sentences = tokenizer.lowers_sentences()});
    // Last: its presence says that the run is complete.
    write_result(output.result(), result);
    checkpoints.reset();
    if (trial.training.keep_checkpoint)
      output.checkpoints().keep_newest();
    else
      output.checkpoints().remove();
  }
  communicator.barrier();
  return result;
}

}  // namespace gausscse
