#include "model/weights/families/encoder_family.hpp"

namespace gausscse {

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

}  // namespace gausscse
