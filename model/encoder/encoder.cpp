#include "model/encoder/encoder.hpp"

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Dropout sites a layer has; the embeddings' site is 0.
constexpr std::uint32_t sites_of_layer = 3;

template <typename View>
EmbeddingParameters embedding_views(const View& view) {
  return {view("embeddings.word_embeddings.weight"),
          view("embeddings.position_embeddings.weight"),
          view("embeddings.token_type_embeddings.weight"),
          {view("embeddings.LayerNorm.weight"), view("embeddings.LayerNorm.bias")}};
}

}  // namespace

Encoder::Encoder(const EncoderConfig& config, ParameterStore& parameters, MatrixProducts& products)
    : config_(config),
      parameters_(parameters),
      products_(products),
      embeddings_(embedding_views([&](const char* name) { return parameters.value(name); })),
      type_(parameters.values().scalar_type()) {
  layers_.reserve(static_cast<std::size_t>(config.layers));
  for (std::int64_t i = 0; i < config.layers; ++i)
    layers_.emplace_back(config_, parameters, static_cast<std::size_t>(i));
}

DropoutSite Encoder::site(std::uint32_t number, double probability) const {
  return dropout_ ? DropoutSite::of(*dropout_, number, probability) : DropoutSite{};
}

EncoderLayer::Call Encoder::call(const PackedBatch& batch, std::size_t layer) const {
  const auto first_site = static_cast<std::uint32_t>(1 + layer * sites_of_layer);
  return {batch,
          output_ == Output::first_tokens && layer + 1 == layers_.size(),
          {site(first_site, config_.attention_dropout), site(first_site + 1, config_.hidden_dropout),
           site(first_site + 2, config_.hidden_dropout)}};
}

at::Tensor Encoder::forward(const PackedBatch& batch, Output output, const DropoutStep* dropout, bool keep) {
  const std::int64_t tokens = batch.tokens(), hidden = config_.hidden_size;
  GAUSSCSE_CHECK(batch.longest <= static_cast<std::int64_t>(config_.max_tokens()), "a sentence of ", batch.longest,
                 " tokens, the position table holds ", config_.max_tokens());
  output_ = output;
  dropout_ = dropout ? std::optional(*dropout) : std::nullopt;
  embedding_state_ = {};
  if (keep)
    embedding_state_ = {embedding_normalized_.get(tokens, hidden, type_), embedding_inverse_.get(tokens, 1, type_)};
  at::Tensor x = embedded_.get(tokens, hidden, type_);
  embedding_dropout_ = site(0, config_.hidden_dropout);
  ops::embed(embeddings_.word, embeddings_.position, embeddings_.token_type, batch, x);
  ops::add_layer_norm(x, {}, {}, embeddings_.norm, config_.layer_norm_eps, {{}, embedding_dropout_},
                      {batch.row_samples, batch.positions}, x, embedding_state_);
  for (std::size_t i = 0; i < layers_.size(); ++i) x = layers_[i].forward(x, call(batch, i), keep, products_, scratch_);
  return x;
}

void Encoder::backward(const PackedBatch& batch, at::Tensor grad) {
  for (std::size_t i = layers_.size(); i-- > 0;)
    grad = layers_[i].backward(grad, parameters_, products_, call(batch, i), scratch_);
  const EmbeddingParameters gradients = embedding_views([&](const char* name) { return parameters_.gradient(name); });
  ops::add_layer_norm_backward(grad, embedding_state_, embeddings_.norm.gamma, {{}, embedding_dropout_},
                               {batch.row_samples, batch.positions}, grad, grad, gradients.norm, {});
  ops::embed_backward(grad, batch, gradients.word, gradients.position, gradients.token_type);
}

}  // namespace gausscse
