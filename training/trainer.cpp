#include "training/trainer.hpp"

#include <chrono>
#include <exception>
#include <string>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "model/device/device_memory.hpp"
#include "results/text_table.hpp"
#include "training/prepared_batch.hpp"

namespace gausscse {

namespace {

OptimizerSettings optimizer_settings(const Trial::Training& settings, const SentenceEncoder& encoder) {
  return {.weight_decay = settings.weight_decay,
          .decay_biases_and_norms = settings.decay_biases_and_norms,
          .clip_norm = settings.clip_norm,
          .epsilon = settings.epsilon,
          .head_factor = settings.head_learning_rate.value_or(settings.learning_rate) / settings.learning_rate,
          .head = encoder.end_of_encoder()};
}

bool leaves_out(const Objective& objective) {
  return objective.false_negatives() != FalseNegatives::keep;
}

bool needs_texts(const TrainerParts& parts, const TrainerSettings& settings) {
  return leaves_out(parts.objective) || settings.batches == ExampleBatches::no_duplicates;
}

Schedule schedule_of(const Trial::Training& settings, BatchPlan& plan) {
  return {.kind = settings.schedule,
          .peak = settings.learning_rate,
          .total_steps = settings.max_steps > 0 ? settings.max_steps : plan.steps_of_epochs(settings.epochs),
          .warmup_ratio = settings.warmup_ratio};
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts, const TrainerSettings& settings)
    : parts_(parts),
      settings_(settings),
      texts_(needs_texts(parts, settings) ? std::optional<TextNumbers>(parts.train) : std::nullopt),
      plan_(parts.train.examples(), static_cast<std::size_t>(settings.training.batch_size), settings.order,
            static_cast<std::uint64_t>(settings.training.seed), settings.last_batch == setting::LastBatch::drop,
            settings.batches == ExampleBatches::no_duplicates ? texts_->of_examples() : std::vector<std::uint32_t>()),
      schedule_(schedule_of(settings.training, plan_)),
      optimizer_(parts.encoder.parameters(), optimizer_settings(settings.training, parts.encoder)),
      training_step_(parts.encoder, parts.objective, parts.communicator,
                     {.seed = static_cast<std::uint64_t>(settings.training.seed),
                      .dropout = true,
                      .micro_batch = settings.training.micro_batch,
                      .virtual_shards = settings.virtual_shards,
                      .exchange = settings.exchange}),
      reports_(parts.observer, parts.encoder.parameters(), schedule_.total_steps, settings.now),
      last_checkpoint_(settings.now()),
      prefetch_([this](std::int64_t number) { return prepare(number); }, schedule_.total_steps) {
  if (settings.select.from_step > schedule_.total_steps)
    throw InputError(concat("select.from_step is ", settings.select.from_step, ", but the training has ",
                            schedule_.total_steps, " steps: no state could be chosen"));
}

void Trainer::train_and_measure(RunResult& result) {
  if (done_ == 0 && parts_.measure_backbone && early_.empty()) early_.push_back(parts_.measure_backbone());
  bool ended_early = false;
  while (done_ < schedule_.total_steps) {
    measure_due(result);
    ended_early = has_lost_patience();
    if (ended_early) break;
    const TrainingStep::Result done = step(done_, result);
    if (done.is_whole) ++done_;
    after_step(done.requests, done.is_whole, result);
  }
  reports_.finish(result.training);
  if (ended_early) {
    result.ended_early = concat("after step ", done_, " of ", schedule_.total_steps, ": ", settings_.select.metric,
                                " of ", settings_.select.task, " was highest after step ", best_step_,
                                " (select.patience: ", settings_.select.patience, ")");
    parts_.observer.on_early_end(result.ended_early);
  }
  StateResult last{"last", done_, measure([](const ListedTask&) { return true; })};
  // Where a training ends early, measurements that are due have been made already.
  take_measurements(
      last.tasks, [&](const ListedTask& task) { return !ended_early || !is_due(task); }, result);
  result.states = kept_states(std::move(last));
  result.states.insert(result.states.end(), early_.begin(), early_.end());
  attach_backbone(result.states);
  if (const auto text = worse_than_backbone(result.states.front(), settings_.select.task, settings_.select.metric))
    parts_.observer.on_warning(*text);
}

bool Trainer::checkpoint_is_due() const {
  if (settings_.training.checkpoint_every > 0 && done_ % settings_.training.checkpoint_every == 0) return true;
  const std::chrono::duration<double, std::ratio<60>> passed = settings_.now() - last_checkpoint_;
  if (settings_.training.checkpoint_minutes > 0 && passed.count() >= settings_.training.checkpoint_minutes) return true;
  // The last evaluation may be long, too.
  const bool may_end = done_ == schedule_.total_steps || has_lost_patience();
  return may_end && (settings_.training.keep_checkpoint || parts_.checkpoints->used());
}

void Trainer::after_step(const StepRequests& requests, bool is_whole, RunResult& result) {
  bool written = true;
  if (requests.stop) reports_.finish(result.training);
  if (CheckpointWriter* writer = parts_.checkpoints) {
    // The writer is waited for where it still writes the checkpoint before.
    const LongOperation writing(parts_.communicator);
    if (requests.checkpoint || requests.stop || checkpoint_is_due()) {
      reports_.finish(result.training);
      TrainingState now = state(result);
      if (!is_whole) forget_measurements(now);
      writer->submit(now);
      last_checkpoint_ = settings_.now();
      parts_.observer.on_detail(concat("checkpoint after step ", done_));
    }
    if (requests.stop) writer->finish();
    for (const std::string& problem : writer->take_problems()) {
      parts_.observer.on_warning(problem);
      written = false;
    }
    parts_.observer.on_checkpoint_state(writer->last_problem());
  }
  if (requests.stop)
    throw TrainingStopped(concat("stopped after step ", done_, " of ", schedule_.total_steps,
                                 ", after a signal; the same command goes on from ",
                                 written ? "there" : "the checkpoint before, or from the beginning if there is none"));
}

void Trainer::set_values(const at::Tensor& values) {
  parts_.encoder.parameters().values().copy_(values);
  parts_.encoder.parameters_changed();
}

std::vector<std::int64_t> Trainer::shares_of(std::int64_t batch) const {
  const std::int64_t ranks = parts_.communicator.size();
  return shares_of_shards(batch, settings_.virtual_shards > 0 ? settings_.virtual_shards : ranks, ranks);
}

PreparedBatch Trainer::prepare(std::int64_t number) {
  const std::vector<std::uint32_t> batch = plan_.batch_of_training(number);
  return training_step_.prepare(number, shares_of(static_cast<std::int64_t>(batch.size())),
                                batch_reader(parts_.train, batch, parts_.objective, settings_.training.pooling_divisor,
                                             leaves_out(parts_.objective) ? &*texts_ : nullptr));
}

PreparedBatch Trainer::take_batch(std::int64_t number) {
  try {
    return prefetch_.take(number);
  } catch (const std::exception& error) {
    if (!ops::is_memory_refused(error)) throw;
    // The step before, which ran meanwhile, has left its activations.
    training_step_.release_activations();
    ops::release_cached_memory(parts_.encoder.settings().device);
    return prefetch_.take(number);
  }
}

TrainingStep::Result Trainer::step(std::int64_t number, RunResult& result) {
  const StepReports::Clock::time_point begin = settings_.now();
  parts_.communicator.set_step(number);
  const PreparedBatch batch = take_batch(number);
  if (!micro_batches_told_) fit_micro_batch(batch, result);
  const TrainingStep::Result done = training_step_.run(batch, &parts_.requests);
  if (!done.is_whole) {
    parts_.communicator.set_step(-1);
    return done;
  }
  if (!micro_batches_told_)
    parts_.observer.on_detail(concat(
        "a step embeds this rank's local batch of ", batch.shares[static_cast<std::size_t>(parts_.communicator.rank())],
        " examples in ", done.micro_batches, " micro-batches of at most ", done.largest_micro_batch));
  micro_batches_told_ = true;
  report_memory(number, done.halved_micro_batch, result);
  const at::Tensor& squared_norm = optimizer_.squared_gradient_norm();
  const double learning_rate = schedule_.learning_rate(number);
  const at::Tensor rounded = parts_.encoder.rounded_parameters();
  optimizer_.step(learning_rate, rounded);
  if (!rounded.defined()) parts_.encoder.parameters_changed();
  reports_.finish(result.training);
  reports_.add({.number = number,
                .loss = done.loss,
                .learning_rate = learning_rate,
                .squared_norm = squared_norm,
                .examples = batch.examples(),
                .tokens = done.tokens,
                .left_out_pairs = leaves_out(parts_.objective) ? std::optional(batch.texts.left_out) : std::nullopt,
                .begin = begin},
               result.training);
  parts_.communicator.set_step(-1);
  return done;
}

}  // namespace gausscse
