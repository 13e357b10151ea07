#include "training/head_start.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/sentence_batches.hpp"
#include "model/folder/model_folder.hpp"
#include "model/folder/warm_start.hpp"
#include "model/initialize.hpp"

namespace gausscse {

namespace {

/// Sentences whose means decide about a log-variance, and how many are embedded at once.
constexpr std::uint32_t sentences_of_start = 512, sentences_at_once = 32;

/// Returns the means of the first sentences, [sentences, hidden], on the CPU.
at::Tensor first_means(const TokenStore& train, SentenceEncoder& encoder) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(train.sentences(), sentences_of_start));
  const std::int64_t hidden = encoder.settings().encoder.hidden_size;
  const at::Tensor means = at::empty({count, hidden}, encoder.options().device(at::kCPU));
  const auto embedder = encoder.make_batch_embedder();
  for (std::uint32_t first = 0; first < count; first += sentences_at_once) {
    std::vector<std::uint32_t> some(std::min(sentences_at_once, count - first));
    std::iota(some.begin(), some.end(), first);
    const SentenceTokens tokens = tokens_of(some, train);
    const at::Tensor embeddings = embedder->embed(encoder.pack(tokens.ids, tokens.offsets));
    means.narrow(0, first, static_cast<std::int64_t>(some.size())).copy_(embeddings.narrow(1, 0, hidden));
  }
  return means;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void begin_at_identity(const Trial::Head& head, SentenceEncoder& encoder, TrainingObserver& observer) {
  const SentenceEncoderSettings& settings = encoder.settings();
  start_at_identity(encoder.parameters());
  set_log_var_bias(encoder.parameters(), std::vector<double>(static_cast<std::size_t>(settings.encoder.hidden_size),
                                                             head.log_var_start.value_or(0)));
  observer.on_note(concat(
      "the head (", text_of(head), ") starts at the ",
      settings.vectors ? std::string("given vector") : concat("pooled vector, pooling ", name_of(settings.pooling)),
      ", with log-variances ", head.log_var_start ? concat("of ", *head.log_var_start) : "that the data decide"));
}

}  // namespace

bool start_head(const Trial& trial, SentenceEncoder& encoder, TrainingObserver& observer) {
  const Trial::Head& head = trial.model.head;
  if (head.kind == HeadKind::none) return false;
  initialize_head(encoder.parameters(), static_cast<std::uint64_t>(trial.training.seed));
  const std::filesystem::path& folder = trial.model.backbone.path;
  bool at_identity = head.init == setting::HeadInit::identity;
  if (head.init == setting::HeadInit::weights) {
    const bool has_weights = trial.model.backbone.init == setting::Init::weights && !folder.empty();
    const LoadedPart loaded = has_weights ? load_head_weights(folder, encoder) : LoadedPart();
    if (!loaded.text.empty()) observer.on_note(loaded.text);
    at_identity = !loaded.is_loaded && head.kind == HeadKind::gaussian && head.mean == MeanLayer::identity;
  } else if (trial.model.backbone.init == setting::Init::weights && !folder.empty() && is_saved_model(folder)) {
    observer.on_note(concat("the head of ", folder.string(), " is left out: model.head.init is ", name_of(head.init)));
  }
  if (at_identity) begin_at_identity(head, encoder, observer);
  encoder.parameters_changed();
  return at_identity && !head.log_var_start;
}

void start_log_var_at_data(const TokenStore& train, SentenceEncoder& encoder, Communicator& communicator,
                           TrainingObserver& observer) {
  std::vector<double> log_var(static_cast<std::size_t>(encoder.settings().encoder.hidden_size));
  run_on_root(communicator, [&] {
    if (train.sentences() >= 2) log_var = log_var_of_differences(first_means(train, encoder));
    if (train.sentences() < 2 || !std::isfinite(mean_of(log_var)))
      throw InputError(concat("model.head.log_var_start: data: the means of the first ",
                              std::min<std::size_t>(train.sentences(), sentences_of_start),
                              " sentences do not differ, or are not numbers: give a number"));
  });
  broadcast_numbers(log_var, communicator);
  set_log_var_bias(encoder.parameters(), log_var);
  encoder.parameters_changed();
  observer.on_note(concat("the log-variances start at those of the data, on average ", mean_of(log_var)));
}

}  // namespace gausscse
