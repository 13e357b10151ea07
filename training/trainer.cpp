#include "training/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "training/prepared_batch.hpp"

namespace gausscse {

namespace {

OptimizerSettings optimizer_settings(const Trial::Training& settings) {
  return {.weight_decay = settings.weight_decay,
          .decay_biases_and_norms = settings.decay_biases_and_norms,
          .clip_norm = settings.clip_norm,
          .epsilon = settings.epsilon};
}

Schedule schedule_of(const Trial::Training& settings, std::size_t steps_per_epoch) {
  const std::int64_t by_epochs = settings.epochs * static_cast<std::int64_t>(steps_per_epoch);
  return {.kind = settings.schedule,
          .peak = settings.learning_rate,
          .total_steps = settings.max_steps > 0 ? settings.max_steps : by_epochs,
          .warmup_ratio = settings.warmup_ratio};
}

bool any_task(const ListedTask&) {
  return true;
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts, const TrainerSettings& settings)
    : parts_(parts),
      settings_(settings),
      plan_(parts.train.examples(), static_cast<std::size_t>(settings.training.batch_size), settings.order,
            static_cast<std::uint64_t>(settings.training.seed), settings.last_batch == setting::LastBatch::drop),
      schedule_(schedule_of(settings.training, plan_.steps_per_epoch())),
      optimizer_(parts.encoder.parameters(), optimizer_settings(settings.training)),
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
  bool stopped = false;
  while (done_ < schedule_.total_steps) {
    measure_due(result);
    stopped = has_lost_patience();
    if (stopped) break;
    const StepRequests requests = step(done_, result);
    ++done_;
    after_step(requests, result);
  }
  reports_.finish(result.training);
  StateResult last{"last", done_, measure_all()};
  // What was due is in the curves already where a training stops early.
  take_measurements(
      last.tasks, [&](const ListedTask& task) { return !stopped || !is_due(task); }, result);
  result.states = kept_states(std::move(last));
  result.states.insert(result.states.end(), early_.begin(), early_.end());
}

bool Trainer::is_due(const ListedTask& task) const {
  return task.eval_every > 0 && done_ % task.eval_every == 0;
}

bool Trainer::has_lost_patience() const {
  const Trial::Select& select = settings_.select;
  const bool measured = std::any_of(parts_.tasks.begin(), parts_.tasks.end(), [&](const ListedTask& task) {
    return task.task->name() == select.task && is_due(task);
  });
  if (!measured || select.patience == 0 || best_step_ < 0 || done_ - best_step_ < select.patience) return false;
  parts_.observer.on_note(concat("stopped after step ", done_, " of ", schedule_.total_steps, ": ", select.figure,
                                 " of ", select.task, " has not been higher than after step ", best_step_));
  return true;
}

std::vector<StateResult> Trainer::kept_states(StateResult last) {
  if (!selects()) return {std::move(last)};
  if (best_step_ == 0)
    parts_.observer.on_warning(concat(
        "the best state is the untrained one: none of the ", schedule_.total_steps, " steps gave a higher ",
        settings_.select.figure, " of ", settings_.select.task,
        " than there was before the first; train longer, try another training.learning_rate, or leave select out"));
  StateResult best{"best", best_step_, {}};
  if (best_step_ == done_) {
    best.tasks = last.tasks;
  } else {
    set_values(best_values_);
    best.tasks = measure_all();
  }
  return {std::move(best), std::move(last)};
}

std::vector<Measurement> Trainer::measure_all() const {
  return measure_tasks(parts_.tasks, any_task, parts_.encoder, parts_.communicator);
}

void Trainer::measure_due(RunResult& result) {
  const auto is_due = [&](const ListedTask& task) { return this->is_due(task); };
  if (std::none_of(parts_.tasks.begin(), parts_.tasks.end(), is_due)) return;
  reports_.finish(result.training);
  const std::vector<Measurement> measured = measure_tasks(parts_.tasks, is_due, parts_.encoder, parts_.communicator);
  take_measurements(measured, is_due, result);
  keep_early(measured);
}

void Trainer::keep_early(const std::vector<Measurement>& measurements) {
  StateResult state{done_ == 0 ? "untrained" : concat("step_", done_), done_, {}};
  for (const ListedTask& task : parts_.tasks) {
    const bool kept = done_ == 0 ? task.keep_untrained : task.keep_at == done_;
    if (const Measurement* measurement = find_measurement(measurements, task.task->name()); measurement && kept)
      state.tasks.push_back(*measurement);
  }
  if (!state.tasks.empty()) early_.push_back(std::move(state));
}

void Trainer::take_measurements(const std::vector<Measurement>& measurements,
                                const std::function<bool(const ListedTask&)>& measured, RunResult& result) {
  const bool selecting = std::any_of(parts_.tasks.begin(), parts_.tasks.end(), [&](const ListedTask& task) {
    return task.task->name() == settings_.select.task && measured(task);
  });
  // No branch may depend on a metric that a rank computed for itself: ranks would part.
  const bool best = selecting && done_ >= settings_.select.from_step && agree_on_best(measurements);
  if (best) {
    best_step_ = done_;
    const at::Tensor& values = parts_.encoder.parameters().values();
    if (best_values_.defined())
      best_values_.copy_(values);
    else
      best_values_ = values.clone();
  }
  for (const ListedTask& task : parts_.tasks) {
    const Measurement* measurement = find_measurement(measurements, task.task->name());
    if (task.eval_every == 0 || !measurement || !measured(task)) continue;
    add_to_curves(*measurement, done_, result.curves);
    const bool selects = measurement->task == settings_.select.task;
    parts_.observer.on_measurement(done_, *measurement,
                                   selects ? find_figure(measurement->figures, settings_.select.figure) : nullptr,
                                   selects && best);
  }
}

bool Trainer::agree_on_best(const std::vector<Measurement>& measurements) {
  bool better = false;
  double figure = best_figure_;
  run_on_root(parts_.communicator, [&] {
    figure = figure_of(*find_measurement(measurements, settings_.select.task), settings_.select.figure);
    if (std::isnan(figure))
      throw InputError(concat("the metric to select by, ", settings_.select.figure, " of ", settings_.select.task,
                              ", is not a number: select by another"));
    better = best_step_ < 0 || figure > best_figure_;
  });
  std::vector<double> verdict{better ? 1.0 : 0.0, figure};
  broadcast_numbers(verdict, parts_.communicator);
  if (verdict[0] == 0.0) return false;
  best_figure_ = verdict[1];
  return true;
}

bool Trainer::checkpoint_is_due() const {
  if (settings_.training.checkpoint_every > 0 && done_ % settings_.training.checkpoint_every == 0) return true;
  const std::chrono::duration<double, std::ratio<60>> passed = settings_.now() - last_checkpoint_;
  if (settings_.training.checkpoint_minutes > 0 && passed.count() >= settings_.training.checkpoint_minutes) return true;
  // The evaluation of the tests may be long, too.
  return done_ == schedule_.total_steps && parts_.checkpoints->used();
}

void Trainer::after_step(const StepRequests& requests, RunResult& result) {
  bool written = true;
  if (requests.stop) reports_.finish(result.training);
  if (CheckpointWriter* writer = parts_.checkpoints) {
    // The writer is waited for where it still writes the checkpoint before.
    const SlowWork writing(parts_.communicator);
    if (requests.checkpoint || requests.stop || checkpoint_is_due()) {
      reports_.finish(result.training);
      writer->submit(state(result));
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
  const auto epoch_steps = static_cast<std::int64_t>(plan_.steps_per_epoch());
  const std::vector<std::uint32_t> batch =
      plan_.batch(static_cast<std::uint32_t>(number / epoch_steps), static_cast<std::size_t>(number % epoch_steps));
  return training_step_.prepare(
      number, shares_of(static_cast<std::int64_t>(batch.size())),
      batch_reader(parts_.train, batch, parts_.objective, settings_.training.pooling_divisor));
}

StepRequests Trainer::step(std::int64_t number, RunResult& result) {
  const StepReports::Clock::time_point begin = settings_.now();
  parts_.communicator.set_step(number);
  const PreparedBatch batch = prefetch_.take(number);
  const TrainingStep::Result done =
      training_step_.run(batch, {.checkpoint = parts_.requests.take_checkpoint(), .stop = parts_.requests.stop()});
  if (!pieces_told_)
    parts_.observer.on_detail(concat("a step embeds this rank's local batch of ",
                                     batch.shares[static_cast<std::size_t>(parts_.communicator.rank())],
                                     " examples in ", done.pieces, " micro-batches of at most ", done.largest_piece));
  pieces_told_ = true;
  const at::Tensor& squared_norm = optimizer_.squared_gradient_norm();
  const double learning_rate = schedule_.learning_rate(number);
  optimizer_.step(learning_rate);
  parts_.encoder.parameters_changed();
  reports_.finish(result.training);
  reports_.add({.number = number,
                .loss = done.loss,
                .learning_rate = learning_rate,
                .squared_norm = squared_norm,
                .examples = batch.examples(),
                .tokens = done.tokens,
                .begin = begin},
               result.training);
  parts_.communicator.set_step(-1);
  return done.requests;
}

}  // namespace gausscse
