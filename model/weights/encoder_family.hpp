#pragma once

#include <string>
#include <vector>

#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// A family's names of the keys of a config.json. A null name means that it has no such key; the family's default holds
/// then.
struct ConfigKeys {
  const char* hidden_size = "hidden_size";
  const char* layers = "num_hidden_layers";
  const char* heads = "num_attention_heads";
  const char* intermediate_size = "intermediate_size";
  const char* vocabulary_size = "vocab_size";
  const char* max_positions = "max_position_embeddings";
  const char* type_vocabulary_size = "type_vocab_size";
  const char* pad_token_id = "pad_token_id";
  const char* layer_norm_eps = "layer_norm_eps";
  const char* activation = "hidden_act";  ///< only the family's own is implemented
  const char* hidden_dropout = "hidden_dropout_prob";
  const char* attention_dropout = "attention_probs_dropout_prob";
};

/// A family's names of its tensors, without ".weight" or ".bias"; those of a layer stand behind `layers`, the layer's
/// number and ".". `ParameterSpec::name` has these names, which are BERT's where it has such a tensor.
struct TensorNames {
  const char* word_embeddings = "embeddings.word_embeddings";
  const char* embedding_norm = "embeddings.LayerNorm";
  const char* layers = "encoder.layer.";
  const char* qkv = "attention.self.qkv";  ///< one tensor, in place of the next three
  const char* query = "attention.self.query";
  const char* key = "attention.self.key";
  const char* value = "attention.self.value";
  const char* attention_output = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char* intermediate = "intermediate.dense";  ///< with a gate that which is activated, or both
  const char* gate = "intermediate.gate";
  const char* output = "output.dense";
  const char* output_norm = "output.LayerNorm";  ///< with the norm first that of the layer behind it
  const char* final_norm = nullptr;              ///< with the norm first that behind the last layer
};

/// A published model's name and shape.
struct NamedShape {
  std::string name;
  EncoderConfig config;
};

/// All that sets a family of encoders apart: names in the files of `transformers`, defaults, and parts that it has or
/// lacks.
struct EncoderFamily {
  /// Its name in errors: "RoBERTa".
  std::string title;
  /// Value of the key model_type: "roberta".
  std::string model_type;
  /// Prefix of tensors in models with a head on top; empty where it is `model_type`.
  std::string prefix = {};
  /// Beginning of the names of its classes: "Roberta" of RobertaModel.
  std::string class_prefix;
  /// Values of the class of configs for keys that are missing; `architecture` is the family's own.
  EncoderConfig defaults;
  /// Returns the first row of the position table.
  std::int64_t (*first_position)(const EncoderConfig&);
  LayerParts parts = {};
  /// True if the output of attention is dropped out.
  bool drops_attention_output = true;
  /// True if the class of `transformers` has a pooler, whose weights saved models lack.
  bool has_pooler = true;
  ConfigKeys keys = {};
  /// JSON of keys that have one implemented value: checked where they are there, and written.
  std::string fixed_values = "{}";
  /// JSON of keys without an effect on the encoder: accepted with any value, and written.
  std::string other_values = "{}";
  /// Keys that published files have and transformers takes no notice of: accepted with any value, and not written.
  std::vector<std::string> unread_keys = {};
  TensorNames tensors = {};
  /// Beginnings of the names of tensors that belong to its heads, besides those that all families have.
  std::vector<std::string> head_tensors = {};
  /// The tokenizer file by which old folders are known whose config.json names no model_type; may be empty.
  std::string known_by_file = {};
  std::vector<NamedShape> shapes = {};

  /// Returns the value of the key `keys.activation`: "gelu" or "silu".
  const char* activation() const { return parts.gate == kernels::Activation::silu ? "silu" : "gelu"; }
  /// Returns the beginning that names of its tensors may have: "roberta.".
  std::string name_prefix() const { return (prefix.empty() ? model_type : prefix) + "."; }
};

/// Returns all of them, in the order of EncoderConfig::Architecture.
const std::vector<EncoderFamily>& encoder_families();
const EncoderFamily& family_of(EncoderConfig::Architecture architecture);

/// Returns a list of `families` for people: "bert", "roberta" and "mpnet", by the member `name`.
std::string listed_families(std::string EncoderFamily::*name, const char* conjunction);

/// Returns the keys of a config.json of the family that are read, or that are known not to change the last hidden state
/// of an encoder, regardless of their value.
std::vector<std::string> known_config_keys(const EncoderFamily& family);

}  // namespace gausscse
