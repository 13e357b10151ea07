#include "model/weights/families/encoder_family.hpp"

namespace gausscse {

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

}  // namespace gausscse
