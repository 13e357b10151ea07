#include "evaluation/geometry/token_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "evaluation/geometry/layer_states.hpp"
#include "evaluation/geometry/layer_statistics.hpp"

namespace gausscse {

namespace {

double to_three_decimals(double value) {
  return std::nearbyint(value * 1000) / 1000;
}

double squared_norm(const at::Tensor& vector) {
  return vector.square().sum().item<double>();
}

/// Returns the mean of the cosines of all pairs of `count` vectors of norm 1, by their sum's squared norm.
double mean_cosine(double squared_norm_of_sum, double count) {
  return (squared_norm_of_sum - count) / (count * (count - 1));
}

/// Returns the self-similarity of each counted id, by its number; NaN where fewer than two sentences have it.
std::vector<double> self_similarities(const LayerStatistics& layer) {
  const at::Tensor squared_norms = layer.id_sums().square().sum(1);
  const double* norm = squared_norms.const_data_ptr<double>();
  const double* sentences = layer.id_sentences().const_data_ptr<double>();
  std::vector<double> of_ids;
  for (std::int64_t i = 0; i < squared_norms.numel(); ++i)
    of_ids.push_back(sentences[i] < 2 ? std::numeric_limits<double>::quiet_NaN()
                                      : to_three_decimals(mean_cosine(norm[i], sentences[i])));
  return of_ids;
}

/// Returns the mean of those that exist.
double average(const std::vector<double>& self_similarities) {
  double sum = 0, ids = 0;
  for (const double value : self_similarities) {
    if (std::isnan(value)) continue;
    sum += value;
    ids += 1;
  }
  return ids == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / ids;
}

std::vector<IdSelfSimilarity> most_frequent_first(const CountedIds& ids, const std::vector<double>& self_similarities) {
  std::vector<IdSelfSimilarity> result;
  for (std::size_t i = 0; i < ids.size(); ++i)
    result.push_back({ids.ids()[i].id, ids.ids()[i].occurrences, self_similarities[i]});
  std::stable_sort(result.begin(), result.end(),
                   [](const IdSelfSimilarity& a, const IdSelfSimilarity& b) { return a.occurrences > b.occurrences; });
  return result;
}

VectorRows rows_of(const at::Tensor& matrix) {
  const at::Tensor values = matrix.to(at::kFloat).contiguous();
  const float* begin = values.const_data_ptr<float>();
  return {matrix.size(1), {begin, begin + values.numel()}};
}

LayerGeometry metric_values_of(const LayerStatistics& layer) {
  const double sentences = layer.sentences();
  const at::Tensor sample = layer.sample(0);
  LayerGeometry metrics;
  const double of_all = squared_norm(layer.mean_sum());
  const double of_each = layer.mean_squares().sum().item<double>();
  metrics.anisotropy = (of_all - of_each) / (sentences * (sentences - 1));
  metrics.sampled_anisotropy =
      to_three_decimals(mean_cosine(squared_norm(sample.sum(0)), static_cast<double>(sample.size(0))));
  metrics.self_similarity = average(self_similarities(layer));
  metrics.intra_sentence_similarity = layer.intra_sentence_similarities() / sentences;
  metrics.adjusted_self_similarity = metrics.self_similarity - metrics.anisotropy;
  metrics.adjusted_intra_sentence_similarity = metrics.intra_sentence_similarity - metrics.anisotropy;
  metrics.norm = layer.norms() / layer.tokens();
  metrics.norm_of_sentences = layer.norms_of_sentences() / sentences;
  return metrics;
}

void check_sentences(const TokenStore& store) {
  if (store.sentences() < 2)
    throw InputError(concat("the geometry of tokens compares tokens of different sentences, but there is ",
                            store.sentences() == 1 ? "one sentence" : "none", ": give at least two"));
}

}  // namespace

TokenGeometry measure_token_geometry(SentenceEncoder& encoder, const TokenStore& store, std::uint32_t pad,
                                     const GeometrySettings& settings, Communicator& communicator) {
  check_sentences(store);
  const CountedIds ids(store, settings.pads ? std::optional(pad) : std::nullopt);
  const std::int64_t layers = encoder.settings().encoder.layers + 1;
  // Each layer has its own sample; the last layer's further ones are for informativity.
  std::vector<std::vector<TokenSample>> samples(static_cast<std::size_t>(layers));
  std::uint64_t draw = 0;
  const auto draw_into = [&](std::vector<TokenSample>& of_layer) {
    of_layer.push_back(draw_token_sample(store, static_cast<std::size_t>(settings.samples),
                                         static_cast<std::uint64_t>(settings.seed), draw++));
  };
  for (std::vector<TokenSample>& of_layer : samples) draw_into(of_layer);
  for (std::int64_t i = 0; i < settings.draws; ++i) draw_into(samples.back());
  std::vector<LayerStatistics> statistics;
  for (const std::vector<TokenSample>& of_layer : samples) {
    const bool keeps_sentences = settings.vectors && &of_layer == &samples.back();
    statistics.emplace_back(encoder.settings().encoder.hidden_size, ids, of_layer,
                            keeps_sentences ? static_cast<std::int64_t>(store.sentences()) : 0);
  }

  for_each_layer_state(encoder, store, communicator, {.pads = settings.pads, .pad = pad},
                       [&](std::int64_t layer, const SentenceStates& states) {
                         statistics[static_cast<std::size_t>(layer)].add(states);
                       });

  TokenGeometry geometry;
  geometry.sentences = store.sentences();
  geometry.tokens = store.tokens();
  for (std::uint32_t s = 0; s < store.sentences(); ++s) geometry.longest = std::max(geometry.longest, store.length(s));
  geometry.ids = ids.size();
  for (LayerStatistics& layer : statistics) {
    communicator.all_reduce_sum(layer.totals());
    geometry.layers.push_back(metric_values_of(layer));
    if (!std::isfinite(geometry.layers.back().norm) || !std::isfinite(geometry.layers.back().anisotropy))
      throw InputError(concat("the hidden states of layer ", geometry.layers.size() - 1,
                              " are not finite: the model is damaged, or its weights are too large"));
  }
  const LayerStatistics& last = statistics.back();
  geometry.rogue_over_tokens = rogue_dimensions_of_tokens(last);
  geometry.sentence_vectors = rows_of(last.sentence_means());
  if (ids.size() == 0) return geometry;
  geometry.self_similarities = most_frequent_first(ids, self_similarities(last));
  geometry.rogue = rogue_dimensions_of_ids(last);
  std::vector<at::Tensor> drawn;
  for (std::int64_t i = 0; i < settings.draws; ++i) drawn.push_back(last.sample(static_cast<std::size_t>(i) + 1));
  if (drawn.empty() || drawn.front().size(0) < 3) return geometry;
  geometry.informativity = informativity_without(geometry.rogue.order, drawn);
  return geometry;
}

}  // namespace gausscse
