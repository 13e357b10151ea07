#include "training/fit_head.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "model/folder/vector_head.hpp"
#include "model/given_vectors.hpp"
#include "model/initialize.hpp"
#include "model/objective/configured_objective.hpp"
#include "model/pooled_vectors.hpp"
#include "training/head_start.hpp"
#include "training/model_card.hpp"
#include "training/trainer.hpp"
#include "training/trial_data.hpp"

namespace gausscse {

namespace {

std::span<const float> row_of(const at::Tensor& vectors, std::int64_t row) {
  const auto width = static_cast<std::size_t>(vectors.size(1));
  return {vectors.const_data_ptr<float>() + static_cast<std::size_t>(row) * width, width};
}

void check_vectors(const at::Tensor& vectors) {
  if (vectors.dim() != 2 || vectors.size(0) == 0 || vectors.size(1) == 0)
    throw InputError(concat("vectors has the shape ", vectors.sizes(), ": give [n, width], a row for each sentence"));
  if (vectors.size(0) >= std::numeric_limits<std::int32_t>::max())
    throw InputError(concat("vectors has ", vectors.size(0), " rows, more than can be numbered: give fewer"));
  check_finite_vectors(vectors);
  for (std::int64_t row = 0; row < vectors.size(0); ++row) {
    const std::span<const float> values = row_of(vectors, row);
    if (std::all_of(values.begin(), values.end(), [](float value) { return value == 0; }))
      throw InputError(concat("vectors: row ", row,
                              " (from 0) has zeros alone, so that it has no direction: encode this sentence again, or "
                              "leave it out"));
  }
}

/// Returns the rows of the examples one after another.
std::vector<std::uint32_t> checked_examples(const at::Tensor& examples, ExampleKind kind, std::int64_t rows) {
  const std::int64_t roles = kind == ExampleKind::triples ? 3 : 2;
  if (examples.dim() != 2 || examples.size(0) == 0 || examples.size(1) != roles)
    throw InputError(concat(
        "the examples have the shape ", examples.sizes(), ": give [m, ", roles, "], numbers of rows of the premise",
        roles == 3 ? ", the entailed and the contradicted sentence" : " and the entailed sentence"));
  std::vector<std::uint32_t> numbers;
  const auto* const values = examples.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < examples.numel(); ++i) {
    if (values[i] < 0 || values[i] >= rows)
      throw InputError(concat("the examples: row ", i / roles, " (from 0) names row ", values[i],
                              " of vectors, which has ", rows, " rows: give numbers from 0 to ", rows - 1));
    numbers.push_back(static_cast<std::uint32_t>(values[i]));
  }
  return numbers;
}

}  // namespace

FittedHead fit_head(const at::Tensor& vectors, const at::Tensor& examples, const Trial& trial, std::size_t threads,
                    TrainingObserver& observer, TrainingRequests& requests) {
  check_vectors(vectors);
  const std::vector<std::uint32_t> rows_of_examples = checked_examples(examples, trial.data.examples, vectors.size(0));
  at::set_num_threads(static_cast<int>(std::max<std::size_t>(threads, 1)));
  const TokenStore store = TokenStore::from_rows(rows_of_examples, static_cast<std::size_t>(examples.size(1)),
                                                 static_cast<std::size_t>(vectors.size(0)));
  const auto copy_row = [&](std::uint32_t row, std::span<float> values) {
    std::ranges::copy(row_of(vectors, row), values.begin());
  };
  GivenVectors given(copy_row, vectors.size(1), at::kCPU);
  PooledVectors pooled(given);
  const ConfiguredObjective objective(trial.objective, head_width(trial.model.head.kind, vectors.size(1)));
  SentenceEncoderSettings settings;
  settings.vectors = &pooled;
  settings.encoder.hidden_size = vectors.size(1);
  settings.head = trial.model.head;
  settings.objective = objective.parameters();
  SentenceEncoder trained(settings);
  const bool data_decide = start_head(trial, trained, observer);
  initialize_objective(trained.parameters(), static_cast<std::uint64_t>(trial.training.seed));
  trained.parameters_changed();

  const std::unique_ptr<Communicator> alone = make_self_communicator();
  const TaskList no_tasks;
  Trainer trainer({.encoder = trained,
                   .objective = objective,
                   .train = store,
                   .tasks = no_tasks,
                   .communicator = *alone,
                   .observer = observer,
                   .requests = requests,
                   .checkpoints = nullptr},
                  {.training = trial.training, .order = trial.data.order, .last_batch = trial.data.last_batch});
  if (data_decide) start_log_var_at_data(store, trained, *alone, observer);
  RunResult result;
  trainer.run(result);

  std::unique_ptr<SentenceEncoder> head = make_vector_head(settings);
  head->parameters().values().copy_(trained.parameters().values());
  head->parameters_changed();
  const StateResult& last = kept_state(result);
  FittedHead fitted;
  fitted.card = model_card(trial, PoolingKind::first_token, last);
  fitted.losses = std::move(result.training.loss);
  fitted.model.properties = properties_of(trial);
  fitted.model.properties.state = last.state;
  fitted.model.properties.step = last.step;
  fitted.model.parameters = head->parameters().values().numel();
  fitted.model.positions = fitted.model.max_tokens = no_limit_of_tokens;
  fitted.model.embedder = std::move(head);
  return fitted;
}

}  // namespace gausscse
