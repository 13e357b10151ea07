#include "training/head_start.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/sentence_batches.hpp"
#include "model/initialize.hpp"
#include "model/model_folder.hpp"
#include "model/warm_start.hpp"

namespace gausscse {

namespace {

/// Sentences whose means decide about a log-variance.
constexpr std::size_t sentences_of_start = 512;

/// Returns the log-variance that suits the means of the first sentences, as rank 0 computes it.
std::vector<double> log_var_of_data(const TokenStore& train, SentenceEncoder& encoder, Communicator& communicator) {
  std::vector<double> log_var(static_cast<std::size_t>(encoder.settings().encoder.hidden_size));
  run_on_root(communicator, [&] {
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    std::vector<std::uint32_t> first(std::min(train.sentences(), sentences_of_start));
    if (first.size() < 2)
      throw InputError("model.head.log_var_start: data: needs two sentences to train on: give a number");
    std::iota(first.begin(), first.end(), 0);
    const SentenceTokens tokens = tokens_of(first, train);
    const auto embedder = encoder.make_batch_embedder();
    const at::Tensor embeddings = embedder->embed(encoder.pack(tokens.ids, tokens.offsets));
    log_var = log_var_of_differences(embeddings.narrow(1, 0, encoder.settings().encoder.hidden_size));
  });
  broadcast_numbers(log_var, communicator);
  return log_var;
}

void begin_at_identity(const Trial& trial, const TokenStore& train, SentenceEncoder& encoder,
                       Communicator& communicator, TrainingObserver& observer) {
  start_at_identity(encoder.parameters());
  encoder.parameters_changed();
  const std::optional<double>& given = trial.model.head.log_var_start;
  const auto width = static_cast<std::size_t>(encoder.settings().encoder.hidden_size);
  const std::vector<double> log_var =
      given ? std::vector<double>(width, *given) : log_var_of_data(train, encoder, communicator);
  set_log_var_bias(encoder.parameters(), log_var);
  const double mean = std::accumulate(log_var.begin(), log_var.end(), 0.0) / static_cast<double>(width);
  observer.on_note(concat("the head (", text_of(trial.model.head), ") starts at the pooled vector, pooling ",
                          name_of(encoder.settings().pooling), ", with log-variances of ",
                          given ? "" : "the data, on average ", mean));
}

}  // namespace

void start_head(const Trial& trial, const TokenStore& train, SentenceEncoder& encoder, Communicator& communicator,
                TrainingObserver& observer) {
  const Trial::Head& head = trial.model.head;
  if (head.kind == HeadKind::none) return;
  initialize_head(encoder.parameters(), static_cast<std::uint64_t>(trial.training.seed));
  const std::filesystem::path& folder = trial.model.backbone.path;
  bool at_identity = head.init == setting::HeadInit::identity;
  if (head.init == setting::HeadInit::weights) {
    const LoadedPart loaded =
        trial.model.backbone.init == setting::Init::weights ? load_head_weights(folder, encoder) : LoadedPart();
    if (!loaded.text.empty()) observer.on_note(loaded.text);
    at_identity = !loaded.is_loaded && head.kind == HeadKind::gaussian && head.mean == MeanLayer::identity;
  } else if (trial.model.backbone.init == setting::Init::weights && is_saved_model(folder)) {
    observer.on_note(concat("the head of ", folder.string(), " is left out: model.head.init is ", name_of(head.init)));
  }
  if (at_identity) begin_at_identity(trial, train, encoder, communicator, observer);
  encoder.parameters_changed();
}

}  // namespace gausscse
