#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "inference/notes.hpp"
#include "model/folder/model_folder.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// A text to put before every sentence, or its name in the model's folder; with neither it is the folder's usual one.
struct PromptChoice {
  std::optional<std::string> text = {};
  std::string name = {};
};

/// Any model that sentences can be embedded with, as its users open it.
///
///     SentenceModel model = open_sentence_model({.path = "runs/first/model"}, at::kCPU, *make_self_communicator());
///     const TokenStore store = TokenStore::from_sentences(sentences, *model.tokenizer, model.max_tokens);
///     const at::Tensor rows = embed_sentences(*model.embedder, store, communicator);
struct SentenceModel {
  /// Null while a training reads its data, before it has weights; it trains an encoder then.
  std::unique_ptr<SentenceEmbedder> embedder;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null for a head for vectors, which embeds no text
  /// Properties that a training saved with the model; of any other model the similarity alone, which is the cosine.
  ModelProperties properties = {.similarity = Similarity::cosine};
  std::size_t positions = 0;              ///< tokens of a sentence that it can take, see no_limit_of_tokens
  std::size_t max_tokens = 0;             ///< tokens that longer sentences are cut to
  std::int64_t parameters = 0;            ///< number of parameters of its encoder and head
  std::int64_t embedding_parameters = 0;  ///< parameters of words or tokens, a part of them
  std::string word_vectors;               ///< XXH3-128 of word vectors; empty for an encoder
  std::string prompt;                     ///< text that `tokenizer` puts before every sentence; may be empty
  std::shared_ptr<const Tokenizer> bare;  ///< the tokenizer without a prompt
  ModelPrompts prompts;                   ///< prompts that its folder has
  std::string identity;                   ///< its files but the weights, and how it is opened, a line each
  Notes notes;                            ///< notes on the opened model

  /// Returns the tokenizer of an encoder with another prompt. Throws InputError for a name that the folder does not
  /// have, with those that it has, and where the folder's pooling leaves prompts out.
  std::shared_ptr<const Tokenizer> tokenizer_with(const PromptChoice& choice) const;
  /// Puts a prompt before sentences from now on, as `tokenizer_with`.
  void take_prompt(const PromptChoice& choice);
  /// Returns whether its layers and parameters can be looked into.
  bool has_layers() const { return !embedder || encoder_of(*embedder); }
  /// Returns the text that must be equal on all ranks, for `check_agreement`. Hashes the weights of an encoder, which
  /// takes about as long as reading them from memory.
  std::string agreement() const;
  /// Returns the hash of the model by which files of embeddings know it: of its weights and identity. The prompt is no
  /// part of it, as queries and rows of a search may have different ones. It takes as long as `agreement`.
  std::string hash() const;
};

/// Path of a model and how to open it; an empty text: as the model says.
struct SentenceModelOptions {
  std::string path, pooling = {}, precision = {};
  std::size_t max_tokens = 0;  ///< tokens that sentences are cut to; 0: as the model says
  PromptChoice prompt = {};
  bool may_be_head = false;  ///< true if a head for vectors is opened, too
};

/// Called while word vectors are read: bytes done, of all.
using ReadProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Opens, with `device` for its products,
///
///  - the folder `model` of a finished run as it was trained, also where its run's folder is given;
///  - the encoder of any other Hugging Face folder, in float32 unless another precision is given; its pooling is the
///    given one, else that of a folder of sentence-transformers;
///  - a file of word vectors, which computes on the CPU;
///  - a head that was trained on given vectors, where `may_be_head` is set: its embedder has no vector of any sentence.
///
/// Throws InputError, also for a pooling that a saved model was not trained with, for more tokens than an encoder has
/// positions, and for options that word vectors have no use for.
SentenceModel open_sentence_model(const SentenceModelOptions& options, at::Device device,
                                  const ReadProgress& progress = {});

/// Opens the encoder of a Hugging Face folder on `device`, without a head, be it a folder that was downloaded or the
/// folder `model` of a finished run. Throws InputError, also where the tokenizer is not the encoder's.
SentenceModel open_encoder(const ModelFolder& folder, Precision precision, at::Device device,
                           PoolingKind pooling = PoolingKind::first_token);

/// Returns a hash of the weights that the model embeds sentences with: `weights_hash` of an encoder, or that of the
/// word vectors. It takes about as long as reading the weights from memory.
std::string weights_of(const SentenceModel& model);

/// `what` of `check_agreement` in commands that read files with a model.
inline constexpr const char* model_and_inputs = "the model, an input or an option";

}  // namespace gausscse
