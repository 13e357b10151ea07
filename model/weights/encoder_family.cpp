#include "model/weights/encoder_family.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "model/weights/rotary_keys.hpp"

namespace gausscse {

namespace {

const std::vector<std::string>& keys_of_all_families() {
  // clang-format off
  static const std::vector<std::string> keys = {
      // Keys that must have their only implemented value, in all families.
      "architectures", "model_type", "pruned_heads", "is_decoder", "add_cross_attention", "is_encoder_decoder",
      "cross_attention_hidden_size",

      // Written by transformers without an effect on the encoder: names and versions, initialisation and training, the
      // language-model, pooler and classifier heads, text generation, forms of output.
      "_name_or_path", "name_or_path", "_commit_hash", "transformers_version", "torch_dtype", "dtype", "tokenizer_class",
      "language", "license", "_attn_implementation", "attn_implementation", "_attn_implementation_autoset",
      "attn_implementation_internal", "_attn_implementation_internal", "initializer_range",
      "initializer_factor", "gradient_checkpointing", "finetuning_task", "task_specific_params",
      "problem_type", "num_labels", "id2label", "label2id", "classifier_dropout", "directionality",
      "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head",
      "pooler_type", "bos_token_id", "eos_token_id", "sep_token_id", "cls_token_id", "mask_token_id",
      "unk_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "use_cache",
      "output_attentions", "output_hidden_states", "output_past", "output_scores", "return_dict",
      "return_dict_in_generate", "torchscript", "use_bfloat16", "xla_device", "tf_legacy_loss", "use_return_dict",
      "tie_word_embeddings", "tie_weights_", "tie_encoder_decoder", "chunk_size_feed_forward", "prefix", "max_length",
      "min_length", "do_sample", "early_stopping", "num_beams", "num_beam_groups", "diversity_penalty",
      "temperature", "top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty",
      "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids", "num_return_sequences",
      "remove_invalid_values", "exponential_decay_length_penalty", "suppress_tokens", "begin_suppress_tokens",
      "renormalize_logits", "force_words_ids", "eos_token_ids", "_num_labels",

      // Written by other programs about heads or forms that are not read: cross-encoders, transformers.js.
      "sbert_ce_default_activation_function", "sentence_transformers", "transformers.js_config",
  };
  // clang-format on
  return keys;
}

}  // namespace

const EncoderFamily& family_of(EncoderConfig::Architecture architecture) {
  const EncoderFamily& family = encoder_families().at(static_cast<std::size_t>(architecture));
  GAUSSCSE_CHECK(family.defaults.architecture == architecture, "the families are in the order of their enumeration");
  return family;
}

std::string listed_families(std::string EncoderFamily::*name, const char* conjunction) {
  std::string text;
  const std::vector<EncoderFamily>& families = encoder_families();
  for (std::size_t i = 0; i < families.size(); ++i)
    text += concat(i == 0                     ? ""
                   : i + 1 == families.size() ? concat(" ", conjunction, " ")
                                              : std::string(", "),
                   families[i].*name);
  return text;
}

std::vector<std::string> known_config_keys(const EncoderFamily& family) {
  std::vector<std::string> known = keys_of_all_families();
  const ConfigKeys& keys = family.keys;
  for (const char* key : {keys.hidden_size, keys.layers, keys.heads, keys.intermediate_size, keys.vocabulary_size,
                          keys.max_positions, keys.type_vocabulary_size, keys.pad_token_id, keys.layer_norm_eps,
                          keys.activation, keys.hidden_dropout, keys.attention_dropout})
    if (key) known.emplace_back(key);
  if (!family.defaults.has_position_table()) known.insert(known.end(), rotary_keys().begin(), rotary_keys().end());
  known.insert(known.end(), family.unread_keys.begin(), family.unread_keys.end());
  for (const std::string* text : {&family.fixed_values, &family.other_values}) {
    const JsonDocument values = parse_strict_json(*text, family.title);
    for (const auto& [key, value] : values->items()) known.push_back(key);
  }
  return known;
}

}  // namespace gausscse
