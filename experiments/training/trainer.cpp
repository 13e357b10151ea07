#include "experiments/training/trainer.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "dist/broadcast_numbers.hpp"
#include "dist/slow_work.hpp"
#include "experiments/results/result_layout.hpp"

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

/// The parameter that holds the largest gradient, not finite ones first.
std::string largest_gradient(ParameterStore& parameters) {
  std::string name;
  double largest = -1;
  for (const ParameterSpec& spec : parameters.specs()) {
    const double here = parameters.gradient(spec.name).abs().max().item<double>();
    if (!std::isfinite(here)) return concat(spec.name, " (not finite)");
    if (here > largest) {
      largest = here;
      name = spec.name;
    }
  }
  return concat(name, " (", largest, ")");
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts, const Trial::Training& settings, setting::LastBatch last_batch,
                 std::int64_t virtual_shards)
    : parts_(parts),
      settings_(settings),
      virtual_shards_(virtual_shards),
      plan_(parts.train.triples().size(), static_cast<std::size_t>(settings.batch_size),
            static_cast<std::uint64_t>(settings.seed), last_batch == setting::LastBatch::drop),
      schedule_(schedule_of(settings, plan_.steps_per_epoch())),
      optimizer_(parts.encoder.parameters(), optimizer_settings(settings)),
      training_step_(parts.encoder, parts.objective, parts.communicator,
                     {.seed = static_cast<std::uint64_t>(settings.seed),
                      .dropout = true,
                      .micro_batch = settings.micro_batch,
                      .virtual_shards = virtual_shards}) {}

void Trainer::run(RunResult& result) {
  while (done_ < schedule_.total_steps) {
    if (done_ == 0 || (settings_.eval_every > 0 && done_ % settings_.eval_every == 0)) evaluate_dev(done_, result);
    const StepRequests requests = step(done_, result);
    ++done_;
    after_step(requests, result);
  }
  const NliMetrics last_dev = evaluate_dev(schedule_.total_steps, result);
  if (best_step_ == 0)
    parts_.observer.on_warning(concat(
        "the best state is the untrained one: no evaluation of the ", schedule_.total_steps,
        " steps gave a higher AUPRC on dev than step 0; train longer, try another training.learning_rate, or set "
        "training.keep to last"));
  StateResult last = evaluate_tests("last", schedule_.total_steps, last_dev);
  StateResult best = last;
  if (best_step_ != schedule_.total_steps) {
    at::Tensor last_values;
    if (settings_.keep == setting::Keep::last) last_values = parts_.encoder.parameters().values().clone();
    set_values(best_values_);
    best = evaluate_tests("best", best_step_, best_dev_);
    if (settings_.keep == setting::Keep::last) set_values(last_values);
  }
  best.state = "best";
  result.states = {std::move(best), std::move(last)};
}

void Trainer::restore(const TrainingState& state, RunResult& result) {
  done_ = state.step;
  set_values(state.values);
  optimizer_.restore(state.step, state.moment1, state.moment2);
  best_step_ = state.best_step;
  best_dev_ = state.best_dev;
  if (best_step_ >= 0) best_values_ = state.best_values.clone();
  result.training = state.training;
  result.dev = state.dev;
}

TrainingState Trainer::state(const RunResult& result) const {
  return {.configuration = {},
          .step = done_,
          .values = parts_.encoder.parameters().values(),
          .moment1 = optimizer_.moment1(),
          .moment2 = optimizer_.moment2(),
          .best_step = best_step_,
          .best_dev = best_dev_,
          .best_values = best_values_,
          .training = result.training,
          .dev = result.dev};
}

bool Trainer::checkpoint_is_due() const {
  if (settings_.checkpoint_every > 0 && done_ % settings_.checkpoint_every == 0) return true;
  const std::chrono::duration<double, std::ratio<60>> passed = std::chrono::steady_clock::now() - last_checkpoint_;
  if (settings_.checkpoint_minutes > 0 && passed.count() >= settings_.checkpoint_minutes) return true;
  // The evaluation of the tests may be long, too.
  return done_ == schedule_.total_steps && parts_.checkpoints->used();
}

void Trainer::after_step(const StepRequests& requests, const RunResult& result) {
  bool written = true;
  if (CheckpointWriter* writer = parts_.checkpoints) {
    // The writer is waited for where it still writes the checkpoint before.
    const SlowWork writing(parts_.communicator);
    if (requests.checkpoint || requests.stop || checkpoint_is_due()) {
      writer->submit(state(result));
      last_checkpoint_ = std::chrono::steady_clock::now();
      parts_.observer.on_detail(concat("checkpoint after step ", done_));
    }
    if (requests.stop) writer->finish();
    for (const std::string& problem : writer->take_problems()) {
      parts_.observer.on_warning(problem);
      written = false;
    }
  }
  if (requests.stop)
    throw TrainingStopped(concat("stopped after step ", done_, " of ", schedule_.total_steps,
                                 ", as a signal asked for; the same command goes on from ",
                                 written ? "there" : "the checkpoint before, or anew where there is none"));
}

void Trainer::set_values(const at::Tensor& values) {
  parts_.encoder.parameters().values().copy_(values);
  parts_.encoder.parameters_changed();
}

std::vector<std::int64_t> Trainer::shares_of(std::int64_t batch) const {
  const std::int64_t ranks = parts_.communicator.size();
  return shares_of_shards(batch, virtual_shards_ > 0 ? virtual_shards_ : ranks, ranks);
}

StepRequests Trainer::step(std::int64_t number, RunResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  parts_.communicator.set_step(number);
  const auto epoch_steps = static_cast<std::int64_t>(plan_.steps_per_epoch());
  const std::vector<std::uint32_t> batch =
      plan_.batch(static_cast<std::uint32_t>(number / epoch_steps), static_cast<std::size_t>(number % epoch_steps));
  const std::vector<std::int64_t> shares = shares_of(static_cast<std::int64_t>(batch.size()));

  const TripleReader read = [&](std::int64_t first, std::int64_t last) {
    TripleSentences sentences;
    sentences.offsets.push_back(0);
    constexpr std::uint32_t Triple::*roles[] = {&Triple::premise, &Triple::entailment, &Triple::contradiction};
    for (std::int64_t role = 0; role < parts_.objective.roles(); ++role) {
      for (std::int64_t i = first; i < last; ++i) {
        parts_.train.append_tokens(parts_.train.triples()[batch[static_cast<std::size_t>(i)]].*roles[role],
                                   sentences.ids);
        sentences.offsets.push_back(static_cast<std::uint32_t>(sentences.ids.size()));
      }
    }
    return sentences;
  };
  const TrainingStep::Result done = training_step_.run(
      number, shares, read, {.checkpoint = parts_.requests.take_checkpoint(), .stop = parts_.requests.stop()});
  if (!pieces_told_)
    parts_.observer.on_detail(concat("a step embeds this rank's share of ",
                                     shares[static_cast<std::size_t>(parts_.communicator.rank())], " triples in ",
                                     done.pieces, " pieces of at most ", done.largest_piece));
  pieces_told_ = true;
  const double norm = optimizer_.gradient_norm();
  check_finite(number, done.loss, norm);
  const double learning_rate = schedule_.learning_rate(number);
  optimizer_.step(learning_rate, norm);
  parts_.encoder.parameters_changed();

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const StepReport report{.step = number,
                          .total_steps = schedule_.total_steps,
                          .loss = done.loss,
                          .learning_rate = learning_rate,
                          .gradient_norm = norm,
                          .seconds = seconds,
                          .triples_per_second = static_cast<double>(batch.size()) / seconds,
                          .tokens_per_second = static_cast<double>(done.tokens) / seconds};
  result.training.step.push_back(number);
  result.training.loss.push_back(report.loss);
  result.training.learning_rate.push_back(report.learning_rate);
  result.training.gradient_norm.push_back(report.gradient_norm);
  result.training.triples_per_second.push_back(report.triples_per_second);
  result.training.tokens_per_second.push_back(report.tokens_per_second);
  parts_.observer.on_step(report);
  parts_.communicator.set_step(-1);
  return done.requests;
}

void Trainer::check_finite(std::int64_t step, double loss, double gradient_norm) {
  if (std::isfinite(loss) && std::isfinite(gradient_norm)) return;
  throw InputError(concat("training stopped at step ", step, ": the loss is ", loss, ", the gradients' norm is ",
                          gradient_norm, "; the largest gradient is that of ",
                          largest_gradient(parts_.encoder.parameters()),
                          ": lower training.learning_rate, or set training.clip_norm"));
}

bool Trainer::agree_on_best(NliMetrics& metrics) const {
  std::vector<double> numbers{best_step_ < 0 || metrics.auprc > best_dev_.auprc ? 1.0 : 0.0};
  for_each_metric(metrics, [&](const char*, auto& value) { numbers.push_back(static_cast<double>(value)); });
  broadcast_numbers(numbers, parts_.communicator);
  auto next = numbers.begin();
  const bool best = *next++ > 0;
  for_each_metric(metrics, [&]<typename T>(const char*, T& value) { value = static_cast<T>(*next++); });
  return best;
}

NliMetrics Trainer::evaluate_dev(std::int64_t step, RunResult& result) {
  NliMetrics metrics = evaluate_on_root(parts_.dev, 0, parts_.encoder, parts_.communicator).metrics;
  // No branch below may depend on a figure that a rank computed for itself: ranks would part.
  const bool best = agree_on_best(metrics);
  result.dev.step.push_back(step);
  result.dev.auprc.push_back(metrics.auprc);
  result.dev.accuracy.push_back(metrics.accuracy);
  result.dev.direction_sim.push_back(metrics.direction_sim);
  result.dev.direction_var.push_back(metrics.direction_var);
  if (best) {
    best_dev_ = metrics;
    best_step_ = step;
    if (!best_values_.defined()) best_values_ = parts_.encoder.parameters().values().clone();
    best_values_.copy_(parts_.encoder.parameters().values());
  }
  parts_.observer.on_dev(step, metrics, best);
  return metrics;
}

StateResult Trainer::evaluate_tests(const char* name, std::int64_t step, const NliMetrics& dev) const {
  StateResult state;
  state.state = name;
  state.step = step;
  state.dev = dev;
  for (const TestSet& test : parts_.tests)
    state.tests.push_back(evaluate_test_set(test, dev.threshold, parts_.encoder, parts_.communicator));
  return state;
}

}  // namespace gausscse
