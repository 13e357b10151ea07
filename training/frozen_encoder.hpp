#pragma once

#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "model/pooled_vectors.hpp"
#include "model/sentence_encoder.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// An encoder whose head alone is trained. The model that is trained has the head's and the objective's parameters, and
/// reads the pooled vectors of sentences, which go through the encoder once, without dropout:
///
///     tokens -> encoder, pooling -> vectors, kept ----+
///                                                     +--> trained(): head, loss, gradient, optimizer
///     tokens of a batch, or of a task's sentences ----+
///
///     FrozenEncoder frozen(encoder);
///     frozen.embed(train, communicator, observer);
///     // train frozen.trained()
///     frozen.take_trained();  // the encoder's own head and objective are those that were trained
class FrozenEncoder {
 public:
  /// `encoder` must outlive it, and must not change meanwhile. The head has the encoder's precision, so that the saved
  /// model gives the embeddings of the training.
  explicit FrozenEncoder(SentenceEncoder& encoder);

  SentenceEncoder& trained() { return trained_; }
  /// Embeds all sentences of `store`; the ranks share the work, and all of them keep the vectors. Collective.
  void embed(const TokenStore& store, Communicator& communicator, TrainingObserver& observer);
  /// Copies the trained parameters into the encoder.
  void take_trained();

 private:
  SentenceEncoder& encoder_;
  PooledEmbedder pooled_;
  PooledVectors vectors_;
  SentenceEncoder trained_;
};

}  // namespace gausscse
