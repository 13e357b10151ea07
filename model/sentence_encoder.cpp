#include "model/sentence_encoder.hpp"

#include "model/ops/transfers.hpp"

namespace gausscse {

namespace {

std::vector<ParameterSpec> all_parameters(const SentenceEncoderSettings& settings) {
  std::vector<ParameterSpec> specs = encoder_parameters(settings.encoder);
  for (ParameterSpec& spec : head_parameters(settings.head.kind, settings.encoder.hidden_size))
    specs.push_back(std::move(spec));
  specs.insert(specs.end(), settings.objective.begin(), settings.objective.end());
  return specs;
}

}  // namespace

std::int64_t SentenceActivations::bytes() const {
  return encoder.bytes() + bytes_of({&pooling.pooled_memory, &pooling.token_memory, &head.output_memory});
}

SentenceEncoder::SentenceEncoder(const SentenceEncoderSettings& settings)
    : settings_(settings),
      parameters_(all_parameters(settings), at::TensorOptions(settings.device).dtype(settings.type)),
      products_(make_matrix_products(parameters_.values(), settings.precision, settings.fixed_tiles)),
      encoder_(settings.encoder, parameters_, *products_),
      pooling_(make_pooling(settings.pooling)),
      head_(make_head(settings.head, settings.encoder.hidden_size, parameters_, *products_)) {}

std::int64_t SentenceEncoder::end_of_encoder() const {
  return parameters_.offset(encoder_parameters(settings_.encoder).size());
}

at::Tensor SentenceEncoder::forward(const PackedBatch& batch, const DropoutStep* dropout, SentenceActivations* keep,
                                    const at::Tensor& longest) {
  PackedBatch& on_device = keep ? keep->batch : batch_not_kept_;
  on_device = batch.on(settings_.device, keep != nullptr);
  const at::Tensor hidden =
      encoder_.forward(on_device, pooling_->needed_output(), dropout, keep ? &keep->encoder : nullptr);
  PoolingActivations& pooling = keep ? keep->pooling : pooling_not_kept_;
  pooling.longest = longest.defined() ? ops::to_device(longest, settings_.device) : longest;
  const at::Tensor pooled = pooling_->forward(hidden, on_device, pooling);
  return head_->forward(pooled, on_device.sentence_shards(), keep ? keep->head : head_not_kept_);
}

void SentenceEncoder::backward(const SentenceActivations& activations, at::Tensor grad,
                               const GradientsAreFinal& on_final) {
  const PackedBatch& batch = activations.batch;
  const at::Tensor grad_pooled = head_->backward(grad, batch.sentence_shards(), activations.head);
  if (on_final) on_final(end_of_encoder());
  encoder_.backward(batch, activations.encoder, pooling_->backward(grad_pooled, batch, activations.pooling), on_final);
}

PackedBatch SentenceEncoder::pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const {
  return pack_sentences(ids, offsets, {}, position_offset()).on(settings_.device, false);
}

std::unique_ptr<BatchEmbedder> SentenceEncoder::make_batch_embedder() {
  return std::make_unique<SentenceEvaluator>(*this);
}

SentenceEvaluator::SentenceEvaluator(SentenceEncoder& encoder)
    : device_(encoder.settings_.device),
      products_(encoder.products_->for_another_thread()),
      encoder_(encoder.settings_.encoder, encoder.parameters_, *products_),
      pooling_(make_pooling(encoder.settings_.pooling)),
      head_(make_head(encoder.settings_.head, encoder.settings_.encoder.hidden_size, encoder.parameters_, *products_)) {
}

void SentenceEvaluator::release_memory() {
  encoder_.release_scratch();
  batch_ = {};
  pooling_activations_ = {};
  head_activations_ = {};
}

at::Tensor SentenceEvaluator::embed(const PackedBatch& batch) {
  batch_ = batch.on(device_, false);
  const at::Tensor hidden = encoder_.forward(batch_, pooling_->needed_output(), nullptr, nullptr);
  return head_->forward(pooling_->forward(hidden, batch_, pooling_activations_), batch_.sentence_shards(),
                        head_activations_);
}

void SentenceEvaluator::visit_layers(const PackedBatch& batch, const LayerVisitor& visitor) {
  batch_ = batch.on(device_, false);
  encoder_.forward(batch_, EncoderOutput::all_tokens, nullptr, nullptr, visitor);
}

}  // namespace gausscse
