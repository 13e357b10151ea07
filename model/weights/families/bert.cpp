#include "model/weights/families/encoder_family.hpp"

namespace gausscse {

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

}  // namespace gausscse
