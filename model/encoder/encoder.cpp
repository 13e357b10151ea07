#include "model/encoder/encoder.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "model/kernels/gpu_attention.hpp"
#include "model/kernels/relative_position.hpp"

namespace gausscse {

namespace {

/// Number of the embeddings' dropout site; those of the layers follow.
constexpr std::uint32_t embedding_site = 0;
constexpr std::uint32_t sites_of_layer = 3;

DropoutSite site(const std::optional<DropoutStep>& step, std::uint32_t number, double probability) {
  return step ? DropoutSite::of(*step, number, probability) : DropoutSite{};
}

void check_heads(const EncoderConfig& config, at::Device device) {
  const std::int64_t width = config.hidden_size / config.heads;
  if (!device.is_cpu() && width > kernels::widest_attention_head_of_gpus)
    throw InputError(concat("the encoder's attention heads are ", width, " wide (hidden_size ", config.hidden_size,
                            ", ", config.heads, " heads), and those of kernels for GPUs at most ",
                            kernels::widest_attention_head_of_gpus, ": compute with --device cpu"));
}

}  // namespace

std::int64_t EncoderActivations::bytes() const {
  std::int64_t bytes =
      bytes_of({&embedded.values, &embedded.factor, &embedded.residual, &embedding_normalized, &embedding_inverse});
  for (const LayerActivations& layer : layers) bytes += layer.bytes();
  return bytes;
}

Encoder::Encoder(const EncoderConfig& config, ParameterStore& parameters, Matmuls& products)
    : config_(config), parameters_(parameters), products_(products), options_(parameters.values().options()) {
  if (!config.parts().linear_biases || !config.parts().norm_biases) zeros_ = zeros_for_biases(config, options_);
  embeddings_ = embedding_values(config_, parameters, zeros_);
  check_heads(config, options_.device());
  GAUSSCSE_CHECK(!embeddings_.relative_position.defined() ||
                     embeddings_.relative_position.size(0) == kernels::relative_position_buckets,
                 "kernels of attention know ", kernels::relative_position_buckets, " buckets of relative positions");
  for (std::int64_t i = 0; i < config.layers; ++i)
    layers_.emplace_back(config_, parameters, static_cast<std::size_t>(i), zeros_);
  if (int8_matmul::Weights* weights = products.int8_weights()) int8_layers_.emplace(config_, *weights);
}

std::int64_t Encoder::bytes_of_scratch() const {
  return scratch_.bytes() + grad_relative_position_.bytes() + not_kept_.bytes() +
         (int8_layers_ ? int8_layers_->bytes() : 0);
}

void Encoder::release_scratch() {
  scratch_ = {};
  grad_relative_position_ = {};
  not_kept_ = {};
}

std::size_t Encoder::held_layers() const {
  return static_cast<std::size_t>(std::count_if(layers_.begin(), layers_.end(), [&](const EncoderLayer& layer) {
    return layer.first_parameter() < parameters_.first_trained();
  }));
}

AttentionPositions Encoder::positions(const PackedBatch& batch, std::int64_t layer) {
  constexpr std::int64_t everywhere = std::numeric_limits<std::int64_t>::max();
  const RotaryPositions& rotary = config_.rotary;
  if (config_.has_position_table()) return {{embeddings_.relative_position, {}}, {}, everywhere};
  const bool is_local = rotary.is_local(layer);
  at::Tensor angles = (is_local ? local_angles_ : global_angles_)
                          .get(batch.longest, is_local ? rotary.local_base : rotary.base,
                               config_.hidden_size / config_.heads, options_);
  return {{}, std::move(angles), is_local ? rotary.local_distance : everywhere};
}

LayerCall Encoder::call(const PackedBatch& batch, const EncoderActivations& activations, std::size_t layer) {
  const auto first_site = static_cast<std::uint32_t>(1 + layer * sites_of_layer);
  const auto& dropout = activations.dropout;
  return {batch,
          activations.output == EncoderOutput::first_tokens && layer + 1 == layers_.size(),
          layer > held_layers() || trains_embeddings(),
          {site(dropout, first_site, config_.attention_dropout),
           site(dropout, first_site + 1, config_.attention_output_dropout()),
           site(dropout, first_site + 2, config_.hidden_dropout)},
          positions(batch, static_cast<std::int64_t>(layer))};
}

at::Tensor Encoder::forward(const PackedBatch& batch, EncoderOutput output, const DropoutStep* dropout,
                            EncoderActivations* keep, const LayerVisitor& visitor) {
  GAUSSCSE_CHECK(!visitor || output == EncoderOutput::all_tokens, "a visitor wants the hidden states of all tokens");
  const std::int64_t tokens = batch.tokens(), hidden = config_.hidden_size;
  GAUSSCSE_CHECK(batch.longest <= static_cast<std::int64_t>(config_.max_tokens()), "a sentence of ", batch.longest,
                 " tokens, the encoder has positions for ", config_.max_tokens());
  if (int8_layers_ && !keep) {
    GAUSSCSE_CHECK(!dropout, "precision int8 is for evaluation");
    return forward_int8(batch, output, visitor);
  }
  EncoderActivations& activations = keep ? *keep : not_kept_;
  activations.layers.resize(keep ? layers_.size() : 1);
  activations.output = output;
  activations.dropout = dropout ? std::optional(*dropout) : std::nullopt;
  activations.embedding_state = {};
  if (keep && trains_embeddings())
    activations.embedding_state = {activations.embedding_normalized.get(tokens, hidden, options_),
                                   activations.embedding_inverse.get(tokens, 1, options_)};
  HiddenStates x = activations.embedded.get(products_, tokens, hidden, options_, false);
  ops::embed(embeddings_.word, embeddings_.position, embeddings_.token_type, batch, x.values);
  ops::add_layer_norm({}, {}, x.values, embeddings_.norm, config_.layer_norm_eps,
                      {{}, site(activations.dropout, embedding_site, config_.hidden_dropout)}, ops::token_rows(batch),
                      {x.values, x.factor, {}}, activations.embedding_state);
  if (visitor) visitor(0, x.values);
  const std::size_t held = held_layers();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool has_backward = keep && i >= held;
    const std::size_t place = has_backward ? i : keep ? held - 1 : 0;
    x = layers_[i].forward(x, call(batch, activations, i), has_backward, activations.layers[place], products_,
                           scratch_);
    if (visitor) visitor(static_cast<std::int64_t>(i) + 1, x.residual);
  }
  return x.values;
}

at::Tensor Encoder::forward_int8(const PackedBatch& batch, EncoderOutput output, const LayerVisitor& visitor) {
  GAUSSCSE_CHECK(options_.dtype() == at::kFloat, "precision int8 is for float32 parameters");
  const at::Tensor embedded = not_kept_.embedded.values.get(batch.tokens(), config_.hidden_size, options_);
  ops::embed(embeddings_.word, embeddings_.position, embeddings_.token_type, batch, embedded);
  return int8_layers_->forward(
      {batch, embedded, embeddings_.norm, products_.int8_weights()->column_factors([&] { return column_factors(); }),
       [&](std::int64_t layer) { return positions(batch, layer); }, output == EncoderOutput::first_tokens},
      layers_, visitor);
}

at::Tensor Encoder::column_factors() {
  constexpr std::uint32_t sentences = 32;
  const auto tokens = static_cast<std::uint32_t>(std::min<std::size_t>(16, config_.max_tokens()));
  PhiloxStream random(0, 0);
  std::vector<std::uint32_t> ids, offsets{0};
  for (std::uint32_t sentence = 0; sentence < sentences; ++sentence) {
    for (std::uint32_t token = 0; token < tokens; ++token)
      ids.push_back(random.below(static_cast<std::uint32_t>(config_.vocabulary_size)));
    offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  const PackedBatch batch = pack_sentences(ids, offsets, {}, static_cast<std::uint32_t>(config_.first_position()));
  EncoderActivations kept;
  forward(batch, EncoderOutput::all_tokens, nullptr, &kept);
  std::vector<at::Tensor> hidden_states;
  for (const LayerActivations& layer : kept.layers) {
    hidden_states.push_back(layer.input.values);
    hidden_states.push_back(layer.attended.values);
  }
  return int8_column_factors(hidden_states);
}

void Encoder::backward(const PackedBatch& batch, const EncoderActivations& activations, at::Tensor grad,
                       const GradientReadyCallback& on_final) {
  HiddenGradient of_layer{std::move(grad), {}};
  // Added up over layers for each sentence, then over sentences as all parameters are, by shards.
  at::Tensor grad_of_sentences;
  if (embeddings_.relative_position.defined()) {
    grad_of_sentences = grad_relative_position_.get(batch.sentences(), embeddings_.relative_position.numel(), options_);
    grad_of_sentences.zero_();
  }
  for (std::size_t i = layers_.size(); i-- > held_layers();) {
    LayerCall of_call = call(batch, activations, i);
    of_call.positions.relative.grad_of_sentences = grad_of_sentences;
    of_layer = layers_[i].backward(of_layer, activations.layers[i], parameters_, products_, of_call, scratch_);
    if (on_final) on_final(layers_[i].first_parameter() - parameters_.first_trained());
  }
  if (!trains_embeddings()) return;
  const EmbeddingParameters gradients = embedding_gradients(config_, parameters_);
  ops::add_layer_norm_backward({of_layer.grad, of_layer.addend}, activations.embedding_state, embeddings_.norm.gamma,
                               {{}, site(activations.dropout, embedding_site, config_.hidden_dropout)},
                               ops::token_rows(batch), of_layer.grad, {}, gradients.norm, {});
  ops::embed_backward(of_layer.grad, batch, gradients.word, gradients.position, gradients.token_type);
  if (grad_of_sentences.defined())
    ops::add_column_sums(grad_of_sentences, batch.sentence_shards(), gradients.relative_position.view(-1));
  if (on_final) on_final(0);
}

}  // namespace gausscse
