#pragma once

#include <filesystem>
#include <string>

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
///     frozen.embed(train, {.cache_folder = folder, .arithmetic = arithmetic_text(provenance)}, communicator, observer,
///                  requests);
///     // train frozen.trained()
///     frozen.take_trained();  // the encoder's own head and objective are those that were trained
class FrozenEncoder {
 public:
  /// `encoder` must outlive it, and must not change meanwhile. The head has the encoder's precision, so that the saved
  /// model gives the embeddings of the training.
  explicit FrozenEncoder(SentenceEncoder& encoder);

  SentenceEncoder& trained() { return trained_; }
  /// Place where vectors are kept from run to run; none where the folder is empty.
  struct Cache {
    std::filesystem::path cache_folder;
    std::string arithmetic;  ///< see arithmetic_text
  };

  /// Embeds all sentences of `store`, or reads their vectors where a run before has kept them (VectorCache); the ranks
  /// share the work, and all of them hold the vectors. Throws TrainingStopped after a block of sentences where
  /// `requests` asks for that. Collective.
  void embed(const TokenStore& store, const Cache& cache, Communicator& communicator, TrainingObserver& observer,
             TrainingRequests& requests);
  /// Copies the trained parameters into the encoder.
  void take_trained();

 private:
  /// Returns the hash of all that decides the vectors of `store`: `program`, which is its hash, its arithmetic, the
  /// encoder and the sentences.
  std::string key_of(const TokenStore& store, const std::string& program, const std::string& arithmetic) const;
  void embed_all(const TokenStore& store, Communicator& communicator, TrainingObserver& observer,
                 TrainingRequests& requests);
  std::size_t mebibytes() const;

  SentenceEncoder& encoder_;
  PooledEmbedder pooled_;
  PooledVectors vectors_;
  SentenceEncoder trained_;
};

}  // namespace gausscse
