#include "model/weights/encoder_family.hpp"

namespace gausscse {

namespace {

/// Returns `defaults` with a published size, its feed-forward part four times as wide as the rest.
EncoderConfig with_size(EncoderConfig defaults, std::int64_t hidden_size, std::int64_t layers, std::int64_t heads) {
  defaults.hidden_size = hidden_size;
  defaults.layers = layers;
  defaults.heads = heads;
  defaults.intermediate_size = 4 * hidden_size;
  return defaults;
}

EncoderFamily bert_family() {
  const EncoderConfig defaults{
      .architecture = EncoderConfig::Architecture::bert, .vocabulary_size = 30522, .max_positions = 512};
  const EncoderConfig google_medium = with_size(defaults, 512, 8, 8);
  return {.title = "BERT",
          .model_type = "bert",
          .class_prefix = "Bert",
          .defaults = defaults,
          .first_position = [](const EncoderConfig&) { return std::int64_t{0}; },
          .fixed_values = R"({"position_embedding_type": "absolute"})",
          .other_values = R"({"initializer_range": 0.02})",
          .known_by_file = "vocab.txt",
          .shapes = {{"bert-base", with_size(defaults, 768, 12, 12)},
                     {"bert-large", with_size(defaults, 1024, 24, 16)},
                     {"minilm-l6", with_size(defaults, 384, 6, 12)},
                     {"bert-l8-h512", google_medium},
                     {"bert_uncased_L-8_H-512_A-8", google_medium}}};
}

EncoderFamily roberta_family() {
  const EncoderConfig defaults{.architecture = EncoderConfig::Architecture::roberta,
                               .vocabulary_size = 50265,
                               .max_positions = 512,
                               .pad_token_id = 1};
  // The published models differ from the class's defaults.
  EncoderConfig published = defaults;
  published.max_positions = 514;
  published.type_vocabulary_size = 1;
  published.layer_norm_eps = 1e-5;
  return {.title = "RoBERTa",
          .model_type = "roberta",
          .class_prefix = "Roberta",
          .defaults = defaults,
          .first_position = [](const EncoderConfig& config) { return config.pad_token_id + 1; },
          .fixed_values = R"({"position_embedding_type": "absolute"})",
          .other_values = R"({"initializer_range": 0.02, "bos_token_id": 0, "eos_token_id": 2})",
          .known_by_file = "vocab.json",
          .shapes = {{"roberta-base", with_size(published, 768, 12, 12)},
                     {"roberta-large", with_size(published, 1024, 24, 16)}}};
}

/// Describes RoBERTa of many languages, whose tensors keep RoBERTa's names.
EncoderFamily xlm_roberta_family() {
  EncoderFamily family = roberta_family();
  family.title = "XLM-RoBERTa";
  family.model_type = "xlm-roberta";
  family.prefix = "roberta";
  family.class_prefix = "XLMRoberta";
  family.defaults.architecture = EncoderConfig::Architecture::xlm_roberta;
  family.known_by_file = {};
  for (NamedShape& shape : family.shapes) {
    shape.name = "xlm-" + shape.name;
    shape.config.architecture = family.defaults.architecture;
    shape.config.vocabulary_size = 250002;
  }
  return family;
}

/// Describes MPNet: relative positions bias its attention, one table for all layers; it has no token types.
EncoderFamily mpnet_family() {
  const EncoderConfig defaults{.architecture = EncoderConfig::Architecture::mpnet,
                               .vocabulary_size = 30527,
                               .max_positions = 512,
                               .type_vocabulary_size = 0,
                               .relative_position_buckets = 32,
                               .pad_token_id = 1};
  EncoderConfig published = defaults;
  published.max_positions = 514;
  published.layer_norm_eps = 1e-5;
  return {.title = "MPNet",
          .model_type = "mpnet",
          .class_prefix = "MPNet",
          .defaults = defaults,
          // Behind the padding token's, which is 1 for any pad_token_id.
          .first_position = [](const EncoderConfig&) { return std::int64_t{2}; },
          .keys = {.type_vocabulary_size = nullptr},
          .fixed_values = R"({"relative_attention_num_buckets": 32})",
          .other_values = R"({"initializer_range": 0.02, "bos_token_id": 0, "eos_token_id": 2})",
          .tensors = {.query = "attention.attn.q",
                      .key = "attention.attn.k",
                      .value = "attention.attn.v",
                      .attention_output = "attention.attn.o",
                      .attention_norm = "attention.LayerNorm"},
          .shapes = {{"mpnet-base", with_size(published, 768, 12, 12)}}};
}

/// Describes BERT without token types, under its own names.
EncoderFamily distilbert_family() {
  const EncoderConfig defaults{.architecture = EncoderConfig::Architecture::distilbert,
                               .vocabulary_size = 30522,
                               .max_positions = 512,
                               .type_vocabulary_size = 0};
  return {.title = "DistilBERT",
          .model_type = "distilbert",
          .class_prefix = "DistilBert",
          .defaults = defaults,
          .first_position = [](const EncoderConfig&) { return std::int64_t{0}; },
          .drops_attention_output = false,
          .has_pooler = false,
          .keys = {.hidden_size = "dim",
                   .layers = "n_layers",
                   .heads = "n_heads",
                   .intermediate_size = "hidden_dim",
                   .type_vocabulary_size = nullptr,
                   .layer_norm_eps = nullptr,
                   .activation = "activation",
                   .hidden_dropout = "dropout",
                   .attention_dropout = "attention_dropout"},
          // Positions by sines would have to stay as they are in training.
          .fixed_values = R"({"sinusoidal_pos_embds": false})",
          .other_values = R"({"initializer_range": 0.02, "qa_dropout": 0.1, "seq_classif_dropout": 0.2})",
          .tensors = {.layers = "transformer.layer.",
                      .query = "attention.q_lin",
                      .key = "attention.k_lin",
                      .value = "attention.v_lin",
                      .attention_output = "attention.out_lin",
                      .attention_norm = "sa_layer_norm",
                      .intermediate = "ffn.lin1",
                      .output = "ffn.lin2",
                      .output_norm = "output_layer_norm"},
          .head_tensors = {"vocab_transform.", "vocab_layer_norm.", "vocab_projector.", "pre_classifier."},
          .shapes = {{"distilbert-base", with_size(defaults, 768, 6, 12)}}};
}

/// Describes ModernBERT (Warner et al. 2024). Its last norm of a layer is the first of the next one in its files.
EncoderFamily modernbert_family() {
  const EncoderConfig defaults{
      .architecture = EncoderConfig::Architecture::modernbert,
      .vocabulary_size = 50368,
      .max_positions = 8192,
      .type_vocabulary_size = 0,
      .pad_token_id = 50283,
      .layer_norm_eps = 1e-5,
      .hidden_dropout = 0,
      .attention_dropout = 0,
      .rotary = {.base = 160000, .local_base = 10000, .local_distance = 64, .global_every = 3}};
  const auto published = [&](std::int64_t hidden_size, std::int64_t layers, std::int64_t heads, std::int64_t wide) {
    EncoderConfig shape = with_size(defaults, hidden_size, layers, heads);
    shape.intermediate_size = wide;
    return shape;
  };
  return {.title = "ModernBERT",
          .model_type = "modernbert",
          .prefix = "model",
          .class_prefix = "ModernBert",
          .defaults = defaults,
          .first_position = [](const EncoderConfig&) { return std::int64_t{0}; },
          .parts = {.norm_first = true,
                    .norm_biases = false,
                    .linear_biases = false,
                    .gate = kernels::Activation::gelu,
                    .joins_qkv = true,
                    .joins_gate = true},
          .has_pooler = false,
          .keys = {.type_vocabulary_size = nullptr,
                   .layer_norm_eps = "norm_eps",
                   .activation = "hidden_activation",
                   .hidden_dropout = nullptr,
                   .attention_dropout = nullptr},
          // transformers drops other places with these than the layers here do.
          .fixed_values = R"({"attention_bias": false, "mlp_bias": false, "norm_bias": false,
                              "attention_dropout": 0.0, "embedding_dropout": 0.0, "mlp_dropout": 0.0})",
          .other_values = R"({"initializer_range": 0.02, "initializer_cutoff_factor": 2.0, "classifier_pooling": "mean",
                              "classifier_activation": "gelu", "classifier_bias": false, "decoder_bias": true,
                              "deterministic_flash_attn": false, "sparse_prediction": false,
                              "sparse_pred_ignore_index": -100, "reference_compile": null})",
          .unread_keys = {"layer_norm_eps", "position_embedding_type"},
          .tensors = {.word_embeddings = "embeddings.tok_embeddings",
                      .embedding_norm = "embeddings.norm",
                      .layers = "layers.",
                      .qkv = "attn.Wqkv",
                      .attention_output = "attn.Wo",
                      .attention_norm = "mlp_norm",
                      .intermediate = "mlp.Wi",
                      .output = "mlp.Wo",
                      .output_norm = "attn_norm",
                      .final_norm = "final_norm"},
          .head_tensors = {"head.", "decoder."},
          .shapes = {{"modernbert-base", published(768, 22, 12, 1152)},
                     {"modernbert-large", published(1024, 28, 16, 2624)}}};
}

/// Describes NomicBERT (Nussbaum et al. 2024), as transformers writes it.
EncoderFamily nomic_bert_family() {
  const EncoderConfig defaults{.architecture = EncoderConfig::Architecture::nomic_bert,
                               .vocabulary_size = 30528,
                               .max_positions = 2048,
                               .hidden_dropout = 0,
                               .attention_dropout = 0,
                               .rotary = {.base = 1000}};
  return {.title = "NomicBERT",
          .model_type = "nomic_bert",
          .class_prefix = "NomicBert",
          .defaults = defaults,
          .first_position = [](const EncoderConfig&) { return std::int64_t{0}; },
          .parts = {.linear_biases = false, .gate = kernels::Activation::silu, .joins_qkv = true},
          .other_values = R"({"initializer_range": 0.02})",
          .tensors = {.embedding_norm = "emb_ln",
                      .layers = "encoder.layers.",
                      .qkv = "attn.Wqkv",
                      .attention_output = "attn.out_proj",
                      .attention_norm = "norm1",
                      .intermediate = "mlp.fc12",
                      .gate = "mlp.fc11",
                      .output = "mlp.fc2",
                      .output_norm = "norm2"},
          .shapes = {{"nomic-bert", with_size(defaults, 768, 12, 12)}}};
}

}  // namespace

const std::vector<EncoderFamily>& encoder_families() {
  static const std::vector<EncoderFamily> families{bert_family(),      roberta_family(),    xlm_roberta_family(),
                                                   mpnet_family(),     distilbert_family(), modernbert_family(),
                                                   nomic_bert_family()};
  return families;
}

}  // namespace gausscse
