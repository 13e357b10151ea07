#include "model/weights/families/encoder_family.hpp"

#include "base/error.hpp"

namespace gausscse {

const std::vector<EncoderFamily>& encoder_families() {
  static const std::vector<EncoderFamily> families{bert_family(), roberta_family(), mpnet_family(),
                                                   distilbert_family()};
  return families;
}

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

EncoderConfig with_size(EncoderConfig defaults, std::int64_t hidden_size, std::int64_t layers, std::int64_t heads) {
  defaults.hidden_size = hidden_size;
  defaults.layers = layers;
  defaults.heads = heads;
  defaults.intermediate_size = 4 * hidden_size;
  return defaults;
}

}  // namespace gausscse
