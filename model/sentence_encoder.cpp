#include "model/sentence_encoder.hpp"

#include "base/error.hpp"
#include "model/device/transfers.hpp"

namespace gausscse {

namespace {

std::vector<ParameterSpec> all_parameters(const SentenceEncoderSettings& settings) {
  std::vector<ParameterSpec> specs;
  if (!settings.vectors) specs = encoder_parameters(settings.encoder);
  for (ParameterSpec& spec : head_parameters(settings.head, settings.encoder.hidden_size))
    specs.push_back(std::move(spec));
  specs.insert(specs.end(), settings.objective.begin(), settings.objective.end());
  return specs;
}

}  // namespace

std::int64_t SentenceActivations::bytes() const {
  return encoder.bytes() + bytes_of({&pooling.pooled_memory, &pooling.token_memory}) + head.bytes();
}

SentenceEncoder::SentenceEncoder(const SentenceEncoderSettings& settings)
    : settings_(settings),
      parameters_(all_parameters(settings), at::TensorOptions(settings.device).dtype(settings.type)),
      products_(make_matmuls(parameters_.values(), settings.precision, settings.fixed_tiles)),
      head_(make_head(settings.head, settings.encoder.hidden_size, parameters_, *products_)) {
  if (settings.vectors) {
    GAUSSCSE_CHECK(settings.vectors->embedder().width() == settings.encoder.hidden_size, "vectors of another width");
    of_vectors_ = settings.vectors->embedder().make_batch_embedder();
  } else {
    encoder_.emplace(settings.encoder, parameters_, *products_);
    pooling_ = make_pooling(settings.pooling);
    if (settings.first_trained_layer) encoder_->hold_before(*settings.first_trained_layer);
  }
}

std::int64_t SentenceEncoder::end_of_encoder() const {
  return encoder_ ? parameters_.offset(encoder_parameters(settings_.encoder).size()) : 0;
}

PackedBatch SentenceEncoder::prepared(const PackedBatch& batch, bool with_backward) const {
  // Vectors are found by tokens on the CPU.
  return settings_.vectors ? batch : batch.prepared_for(settings_.device, with_backward);
}

at::Tensor SentenceEncoder::pooled(const PackedBatch& batch, const DropoutStep* dropout, EncoderActivations* kept,
                                   PoolingActivations& pooling) {
  if (settings_.vectors) return settings_.vectors->of(batch, *of_vectors_);
  return pooling_->forward(encoder_->forward(batch, pooling_->needed_output(), dropout, kept), batch, pooling);
}

at::Tensor SentenceEncoder::forward(const PackedBatch& batch, const DropoutStep* dropout, SentenceActivations* keep,
                                    const at::Tensor& longest) {
  PackedBatch& ready = keep ? keep->batch : batch_not_kept_;
  ready = settings_.vectors ? batch : batch.on(settings_.device, keep != nullptr);
  PoolingActivations& pooling = keep ? keep->pooling : pooling_not_kept_;
  pooling.longest = longest.defined() ? ops::to_device(longest, settings_.device) : longest;
  const at::Tensor vectors = pooled(ready, dropout, keep ? &keep->encoder : nullptr, pooling);
  return head_->forward(vectors, ready.sentence_shards(), keep ? keep->head : head_not_kept_);
}

void SentenceEncoder::backward(const SentenceActivations& activations, at::Tensor grad,
                               const GradientReadyCallback& on_final) {
  const PackedBatch& batch = activations.batch;
  const at::Tensor grad_pooled = head_->backward(grad, batch.sentence_shards(), activations.head);
  if (on_final) on_final(end_of_encoder() - parameters_.first_trained());
  if (encoder_)
    encoder_->backward(batch, activations.encoder, pooling_->backward(grad_pooled, batch, activations.pooling),
                       on_final);
}

PackedBatch SentenceEncoder::pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const {
  const PackedBatch batch = pack_sentences(ids, offsets, {}, position_offset());
  return settings_.vectors ? batch : batch.on(settings_.device, false);
}

std::unique_ptr<BatchEmbedder> SentenceEncoder::make_batch_embedder() {
  return std::make_unique<SentenceEvaluator>(*this);
}

SentenceEvaluator::SentenceEvaluator(SentenceEncoder& encoder, PoolingKind pooling, const HeadSettings& head)
    : device_(encoder.settings_.device),
      products_(encoder.products_->for_another_thread()),
      vectors_(encoder.settings_.vectors),
      head_(make_head(head, encoder.settings_.encoder.hidden_size, encoder.parameters_, *products_)) {
  if (vectors_) {
    of_vectors_ = vectors_->embedder().make_batch_embedder();
  } else {
    encoder_.emplace(encoder.settings_.encoder, encoder.parameters_, *products_);
    pooling_ = make_pooling(pooling);
  }
}

void SentenceEvaluator::release_memory() {
  if (encoder_) encoder_->release_scratch();
  if (of_vectors_) of_vectors_->release_memory();
  batch_ = {};
  pooling_activations_ = {};
  head_activations_ = {};
}

at::Tensor SentenceEvaluator::embed(const PackedBatch& batch) {
  batch_ = vectors_ ? batch : batch.on(device_, false);
  const at::Tensor vectors =
      vectors_ ? vectors_->of(batch_, *of_vectors_)
               : pooling_->forward(encoder_->forward(batch_, pooling_->needed_output(), nullptr, nullptr), batch_,
                                   pooling_activations_);
  return head_->forward(vectors, batch_.sentence_shards(), head_activations_);
}

at::Tensor SentenceEvaluator::apply_head(const at::Tensor& vectors) {
  const std::int64_t offsets[] = {0, vectors.size(0)};
  return head_->forward(ops::to_device(vectors, device_), {offsets, 1}, head_activations_);
}

void SentenceEvaluator::visit_layers(const PackedBatch& batch, const LayerVisitor& visitor) {
  GAUSSCSE_CHECK(encoder_, "vectors have no layers");
  batch_ = batch.on(device_, false);
  encoder_->forward(batch_, EncoderOutput::all_tokens, nullptr, nullptr, visitor);
}

}  // namespace gausscse
