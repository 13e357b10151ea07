#include "model/sentence_encoder.hpp"

namespace gausscse {

namespace {

std::vector<ParameterSpec> all_parameters(const SentenceEncoderSettings& settings) {
  std::vector<ParameterSpec> specs = encoder_parameters(settings.encoder);
  for (ParameterSpec& spec : gaussian_head_parameters(settings.encoder.hidden_size)) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace

SentenceEncoder::SentenceEncoder(const SentenceEncoderSettings& settings)
    : settings_(settings),
      parameters_(all_parameters(settings), settings.type),
      products_(parameters_.values(), settings.precision, MatrixProducts::Bfloat16Way::fastest, settings.fixed_tiles),
      encoder_(settings.encoder, parameters_, products_),
      pooling_(make_pooling(settings.pooling)),
      head_(settings.encoder.hidden_size, settings.mean_activation, parameters_, products_) {}

at::Tensor SentenceEncoder::forward(const PackedBatch& batch, const DropoutStep* dropout, SentenceActivations* keep) {
  if (keep) keep->batch = batch;
  const at::Tensor hidden =
      encoder_.forward(batch, pooling_->needed_output(), dropout, keep ? &keep->encoder : nullptr);
  return head_.forward(pooling_->forward(hidden, batch), batch.sentence_shards(), keep ? keep->head : head_not_kept_);
}

void SentenceEncoder::backward(const SentenceActivations& activations, at::Tensor grad) {
  const at::Tensor grad_pooled = head_.backward(grad, activations.batch.sentence_shards(), activations.head);
  encoder_.backward(activations.batch, activations.encoder, pooling_->backward(grad_pooled, activations.batch));
}

SentenceEvaluator::SentenceEvaluator(SentenceEncoder& encoder)
    : products_(encoder.products_.for_another_thread()),
      encoder_(encoder.settings_.encoder, encoder.parameters_, products_),
      pooling_(make_pooling(encoder.settings_.pooling)),
      head_(encoder.settings_.encoder.hidden_size, encoder.settings_.mean_activation, encoder.parameters_, products_) {}

at::Tensor SentenceEvaluator::forward(const PackedBatch& batch) {
  const at::Tensor hidden = encoder_.forward(batch, pooling_->needed_output(), nullptr, nullptr);
  return head_.forward(pooling_->forward(hidden, batch), batch.sentence_shards(), head_activations_);
}

}  // namespace gausscse
