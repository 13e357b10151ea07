#include "model/weights/families/encoder_family.hpp"

namespace gausscse {

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

}  // namespace gausscse
