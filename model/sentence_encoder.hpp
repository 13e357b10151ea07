#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/batch/parameter_store.hpp"
#include "model/choices.hpp"
#include "model/encoder/encoder.hpp"
#include "model/head/head.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/pooled_vectors.hpp"
#include "model/pooling/pooling.hpp"
#include "model/sentence_embedder.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// Parts of a sentence encoder besides its weights.
struct SentenceEncoderSettings {
  /// Vectors that the head reads in place of an encoder's, which is then none of its parts: only the parameters of head
  /// and objective are there. They belong to a model of `encoder`'s width, and must outlive the encoder. Null: none.
  PooledVectors* vectors = nullptr;
  EncoderConfig encoder;
  PoolingKind pooling = PoolingKind::first_token;
  HeadSettings head = {};
  /// Parameters of the training objective, which are kept behind the encoder's and the head's (Objective::parameters).
  std::vector<ParameterSpec> objective = {};
  /// First layer whose parameters are trained; those of the layers before it and of the embeddings are held. Nothing:
  /// all are trained.
  std::optional<std::int64_t> first_trained_layer = {};
  Precision precision = Precision::full;
  bool fixed_tiles = false;          ///< matrix products give the same bits for any number of threads, see Matmuls
  at::ScalarType type = at::kFloat;  ///< type of parameters; float64 is for tests
  at::Device device = at::kCPU;      ///< device of parameters, and so of everything
};

/// Values that a forward leaves for its backward, and the memory for them, reused from step to step.
struct SentenceActivations {
  PackedBatch batch;
  EncoderActivations encoder;
  PoolingActivations pooling;
  HeadActivations head;

  /// Returns the bytes without the tokens themselves.
  std::int64_t bytes() const;
};

/// Sentences in, embeddings out: encoder, pooling and head over one parameter store.
///
///     SentenceEncoder encoder(settings);
///     SentenceActivations kept;
///     const at::Tensor embeddings = encoder.forward(batch, &dropout, &kept);  // [sentences, width]
///     encoder.backward(kept, by_embeddings);  // adds to encoder.parameters().gradients()
///     const auto embedder = encoder.make_batch_embedder();  // evaluation: no dropout, a thread each
///     const at::Tensor rows = embedder->embed(encoder.pack(ids, offsets));
class SentenceEncoder : public SentenceEmbedder {
 public:
  explicit SentenceEncoder(const SentenceEncoderSettings& settings);
  SentenceEncoder(const SentenceEncoder&) = delete;
  SentenceEncoder& operator=(const SentenceEncoder&) = delete;

  const SentenceEncoderSettings& settings() const { return settings_; }
  /// Returns the first element of the parameters of head and objective; the number of all where there are none.
  std::int64_t end_of_encoder() const;
  std::int64_t width() const override { return head_->width(); }
  at::TensorOptions options() const override { return parameters_.values().options(); }
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override;
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override;
  /// Returns the first row of the position table that tokens use.
  std::uint32_t position_offset() const { return static_cast<std::uint32_t>(settings_.encoder.first_position()); }
  /// Returns a packed batch as `forward` takes it, on its way to the device. May be called by any thread.
  PackedBatch prepared(const PackedBatch& batch, bool with_backward) const;

  ParameterStore& parameters() { return parameters_; }
  const ParameterStore& parameters() const { return parameters_; }
  /// Takes note that the parameters' values have been written to. Must be called then.
  void parameters_changed() { products_->parameters_changed(); }
  /// See Matmuls.
  at::Tensor rounded_parameters() const { return products_->rounded_parameters(); }
  void clear_gradients() { products_->clear_gradients(parameters_.gradients()); }
  void finish_gradients(std::int64_t first) { products_->finish_gradients(first); }

  /// Returns [sentences, width], of a Gaussian head mean then log-variance. `dropout` null: evaluation. The result is
  /// part of `keep`, which is ready for `backward` afterwards; where it is null, it is valid until the next such call.
  /// `longest` as in PoolingActivations.
  at::Tensor forward(const PackedBatch& batch, const DropoutStep* dropout, SentenceActivations* keep,
                     const at::Tensor& longest = {});
  /// Adds to the gradients of the trained parameters, from the gradient of the result of `forward` with these
  /// activations. `grad` is overwritten. `on_final`, which may be empty, is called for the gradients of the head and
  /// the objective, then for those of one layer after another.
  void backward(const SentenceActivations& activations, at::Tensor grad, const GradientReadyCallback& on_final = {});
  /// Returns the bytes that the encoder's layers share; activations that are kept are not counted.
  std::int64_t bytes_of_scratch() const { return encoder_ ? encoder_->bytes_of_scratch() : 0; }
  /// Gives that memory back; the next call takes it again.
  void release_scratch() {
    if (encoder_) encoder_->release_scratch();
  }

 private:
  friend class SentenceEvaluator;
  /// Returns the pooled vectors of a batch that `prepared` returned.
  at::Tensor pooled(const PackedBatch& batch, const DropoutStep* dropout, EncoderActivations* kept,
                    PoolingActivations& pooling);

  SentenceEncoderSettings settings_;
  ParameterStore parameters_;
  std::unique_ptr<Matmuls> products_;
  std::optional<Encoder> encoder_;  ///< none where there are vectors
  std::unique_ptr<Pooling> pooling_;
  std::unique_ptr<BatchEmbedder> of_vectors_;  ///< computes vectors that are missing
  std::unique_ptr<Head> head_;
  PackedBatch batch_not_kept_;
  PoolingActivations pooling_not_kept_;
  HeadActivations head_not_kept_;
};

/// Evaluates sentences next to others of its kind, each on its own thread. Made from the encoder's present parameters,
/// by one thread; the encoder must outlive it, and must not change or compute meanwhile.
class SentenceEvaluator : public BatchEmbedder {
 public:
  explicit SentenceEvaluator(SentenceEncoder& encoder)
      : SentenceEvaluator(encoder, encoder.settings().pooling, encoder.settings().head) {}
  /// Makes an evaluator of the encoder's layers with another pooling or head.
  SentenceEvaluator(SentenceEncoder& encoder, PoolingKind pooling, const HeadSettings& head);
  SentenceEvaluator(const SentenceEvaluator&) = delete;
  SentenceEvaluator& operator=(const SentenceEvaluator&) = delete;

  /// Does the encoder's `forward` without dropout; valid until the next call.
  at::Tensor embed(const PackedBatch& batch) override;
  void release_memory() override;
  /// Applies the head alone to pooled vectors [n, hidden], with the bits of `embed`; valid until the next call.
  at::Tensor apply_head(const at::Tensor& vectors);
  /// Hands the hidden states of all tokens to `visitor`, layer by layer; pooling and head are not asked.
  void visit_layers(const PackedBatch& batch, const LayerVisitor& visitor);

 private:
  at::Device device_;
  std::unique_ptr<Matmuls> products_;
  PooledVectors* vectors_;
  std::unique_ptr<BatchEmbedder> of_vectors_;
  std::optional<Encoder> encoder_;  ///< none where there are vectors
  std::unique_ptr<Pooling> pooling_;
  std::unique_ptr<Head> head_;
  PackedBatch batch_;
  PoolingActivations pooling_activations_;
  HeadActivations head_activations_;
};

/// Pooled vectors of an encoder as embeddings, without its head: the model that a backbone is by itself.
class PooledEmbedder : public SentenceEmbedder {
 public:
  /// `encoder` has layers, and must outlive it.
  PooledEmbedder(SentenceEncoder& encoder, PoolingKind pooling) : encoder_(encoder), pooling_(pooling) {}

  std::int64_t width() const override { return encoder_.settings().encoder.hidden_size; }
  at::TensorOptions options() const override { return encoder_.options(); }
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override {
    return encoder_.pack(ids, offsets);
  }
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override {
    return std::make_unique<SentenceEvaluator>(encoder_, pooling_, HeadSettings{.kind = HeadKind::none});
  }

 private:
  SentenceEncoder& encoder_;
  PoolingKind pooling_;
};

/// Returns the encoder that a model is, whose layers and parameters can be looked into; null where it is none.
inline SentenceEncoder* encoder_of(SentenceEmbedder& model) {
  return dynamic_cast<SentenceEncoder*>(&model);
}

}  // namespace gausscse
