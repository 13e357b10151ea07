#include "launcher/saved_model_text.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"

namespace gausscse {

namespace {

const char* architecture_of(const EncoderConfig& encoder) {
  switch (encoder.architecture) {
    case EncoderConfig::Architecture::bert:
      return "bert";
    case EncoderConfig::Architecture::roberta:
      return "roberta";
  }
  throw std::logic_error("no architecture of this number");
}

}  // namespace

std::string saved_model_text(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const EncoderConfig& encoder = model.encoder->settings().encoder;
  const SentenceEncoderSettings& settings = model.encoder->settings();
  std::string text = concat(
      "  ", properties.state, " state of its training, after ", properties.step, " steps\n  similarity ",
      name_of(properties.similarity), ", from ", properties.threshold, " on entailment; mean ",
      name_of(settings.head.mean), ", pooling ", name_of(settings.pooling), "\n  sentences of at most ",
      properties.max_tokens, properties.trim ? " tokens, trimmed, matrix products " : " tokens, matrix products ",
      name_of(settings.precision), "\n  encoder: ", architecture_of(encoder), ", ", encoder.layers, " layers, ",
      encoder.hidden_size, " wide, ", encoder.heads, " heads, ", encoder.vocabulary_size, " words, ",
      model.encoder->parameters().values().numel(), " parameters with the head's\n");
  for (const auto& [name, word] : properties.evaluation) text += concat("  evaluated with ", name, " ", word, "\n");
  return text;
}

std::string saved_model_json(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const EncoderConfig& encoder = model.encoder->settings().encoder;
  const SentenceEncoderSettings& settings = model.encoder->settings();
  nlohmann::ordered_json report{{"kind", "model"},
                                {"state", properties.state},
                                {"step", properties.step},
                                {"similarity", name_of(properties.similarity)},
                                {"threshold", properties.threshold},
                                {"mean", name_of(settings.head.mean)},
                                {"pooling", name_of(settings.pooling)},
                                {"max_tokens", properties.max_tokens},
                                {"trim", properties.trim},
                                {"precision", name_of(settings.precision)},
                                {"evaluation", properties.evaluation},
                                {"parameters", model.encoder->parameters().values().numel()}};
  report["encoder"] = {{"architecture", architecture_of(encoder)},
                       {"layers", encoder.layers},
                       {"hidden_size", encoder.hidden_size},
                       {"heads", encoder.heads},
                       {"intermediate_size", encoder.intermediate_size},
                       {"vocabulary_size", encoder.vocabulary_size}};
  return report.dump(2) + "\n";
}

}  // namespace gausscse
