#include "experiments/training/model_card.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "base/error.hpp"
#include "experiments/results/average.hpp"
#include "model/sentence_transformers_folder.hpp"

namespace gausscse {

namespace {

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string percent(double fraction) {
  return fixed(100 * fraction, 2);
}

const char* pooling_text(PoolingKind pooling) {
  switch (pooling) {
    case PoolingKind::first_token:
      return "the last hidden state of its first token";
    case PoolingKind::mean:
      return "the mean of its tokens' last hidden states";
    case PoolingKind::mean_without_first:
      return "the mean of its tokens' last hidden states, without the first token's";
    case PoolingKind::max:
      return "the maximum of its tokens' last hidden states in each dimension";
  }
  throw std::logic_error("no pooling of this number");
}

std::string row(const std::string& name, const NliMetrics& metrics) {
  return concat("| ", name, " | ", metrics.pairs, " | ", percent(metrics.accuracy), " | ", fixed(metrics.threshold, 3),
                " | ", percent(metrics.auprc), " | ", metrics.directed_pairs, " | ", percent(metrics.direction_sim),
                " | ", percent(metrics.direction_var), " | ", percent(metrics.direction_length), " |\n");
}

std::string row(const AverageMetrics& average) {
  return concat("| average | - | ", percent(average.accuracy), " | - | ", percent(average.auprc), " | - | ",
                percent(average.direction_sim), " | ", percent(average.direction_var), " | ",
                percent(average.direction_length), " |\n");
}

}  // namespace

std::string model_card(const Trial& trial, const StateResult& state) {
  std::string card = concat(
      "---\ntags:\n- sentence-similarity\n- gaussian-embedding\nlibrary_name: gausscse\n---\n\n# Gaussian sentence "
      "encoder\n\nEach sentence becomes a Gaussian: a mean and a log-variance per dimension. The similarity of two is "
      "based on the Kullback-Leibler divergence and has a direction: it tells which sentence entails the other.\n\n"
      "- `config.json`, `model.safetensors`: the encoder, as `transformers` reads it; a sentence's vector is ",
      pooling_text(trial.pooling), "\n- `gaussian_head.safetensors`: the two linear layers for mean (",
      name_of(trial.head.mean), ") and log-variance\n\nTrained with loss `", name_of(trial.loss), "`, similarity `",
      name_of(trial.similarity), "`, batch size ", trial.training.batch_size, ", learning rate ",
      trial.training.learning_rate, ", seed ", trial.training.seed, ". State: ", state.state, ", after ", state.step,
      " steps. Similarity from ", state.dev->threshold, " on counts as entailment (chosen on dev).\n\n");
  card +=
      "| set | pairs | accuracy % | threshold | AUPRC % | directed pairs | direction by similarity % | by variance % | "
      "by length % |\n|---|---|---|---|---|---|---|---|---|\n";
  card += row("dev", *state.dev);
  for (const TestResult& test : state.tests) card += row(test.name, test.metrics);
  if (const auto average = average_of(state.tests)) card += row(*average);
  card +=
      "\nUse:\n\n    gausscse encode MODEL_DIR sentences.txt embeddings.h5\n    gausscse score MODEL_DIR pairs.tsv\n";
  if (opens_in_sentence_transformers(trial.pooling))
    card +=
        "\nIn Python, with sentence-transformers 6.2 (it strips white space at the ends of sentences):\n\n"
        "    model = SentenceTransformer(MODEL_DIR)\n    mean = model.encode(sentences)\n"
        "    log_variance = model.encode(sentences, output_value=\"log_variance\")\n";
  return card;
}

}  // namespace gausscse
