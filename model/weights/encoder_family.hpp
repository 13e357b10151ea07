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
  const char* activation = "hidden_act";  ///< only "gelu" is implemented
  const char* hidden_dropout = "hidden_dropout_prob";
  const char* attention_dropout = "attention_probs_dropout_prob";
};

/// A family's names of the tensors of a layer: `layers`, the layer's number, ".", one of the others, then ".weight" or
/// ".bias". `ParameterSpec::name` has BERT's names, which are these.
struct LayerTensors {
  const char* layers = "encoder.layer.";
  const char* query = "attention.self.query";
  const char* key = "attention.self.key";
  const char* value = "attention.self.value";
  const char* attention_output = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char* intermediate = "intermediate.dense";
  const char* output = "output.dense";
  const char* output_norm = "output.LayerNorm";
};

/// A published model's name and shape.
struct NamedShape {
  std::string name;
  EncoderConfig config;
};

/// All that sets a family of encoders apart: names in the files of `transformers`, defaults, and parts that it has or
/// lacks. They share the rest: layers with a norm behind each part, learned positions, exact GELU.
struct EncoderFamily {
  /// Its name in errors: "RoBERTa".
  std::string title;
  /// Value of the key model_type, and prefix of tensors in models with a head on top: "roberta".
  std::string model_type;
  /// Beginning of the names of its classes: "Roberta" of RobertaModel.
  std::string class_prefix;
  /// Values of the class of configs for keys that are missing; `architecture` is the family's own.
  EncoderConfig defaults;
  /// Returns the first row of the position table.
  std::int64_t (*first_position)(const EncoderConfig&);
  /// True if the output of attention is dropped out.
  bool drops_attention_output = true;
  /// True if the class of `transformers` has a pooler, whose weights saved models lack.
  bool has_pooler = true;
  ConfigKeys keys = {};
  /// JSON of keys that have one implemented value: checked where they are there, and written.
  std::string fixed_values = "{}";
  /// JSON of keys without an effect on the encoder: accepted with any value, and written.
  std::string other_values = "{}";
  LayerTensors tensors = {};
  /// Beginnings of the names of tensors that belong to its heads, besides those that all families have.
  std::vector<std::string> head_tensors = {};
  /// The tokenizer file by which old folders are known whose config.json names no model_type; may be empty.
  std::string known_by_file = {};
  std::vector<NamedShape> shapes = {};
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
