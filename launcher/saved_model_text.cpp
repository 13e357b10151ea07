#include "launcher/saved_model_text.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace gausscse {

namespace {

struct Words {
  const char *similarity, *mean, *precision, *architecture;
};

Words words_of(const SavedModel& model) {
  const SentenceEncoderSettings& settings = model.encoder->settings();
  const bool bert = settings.encoder.architecture == EncoderConfig::Architecture::bert;
  return {model.properties.similarity == SimilarityKind::per_dimension ? "per_dimension" : "joint",
          settings.mean_activation == MeanActivation::tanh ? "tanh" : "linear",
          settings.precision == Precision::full ? "fp32" : "bf16", bert ? "bert" : "roberta"};
}

}  // namespace

std::string saved_model_text(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const EncoderConfig& encoder = model.encoder->settings().encoder;
  const Words words = words_of(model);
  std::string text =
      concat("  ", properties.state, " state of its training, after ", properties.step, " steps\n  similarity ",
             words.similarity, ", from ", properties.threshold, " on entailment; mean ", words.mean, ", pooling ",
             model.encoder->settings().pooling, "\n  sentences of at most ", properties.max_tokens,
             " tokens, matrix products ", words.precision, "\n  encoder: ", words.architecture, ", ", encoder.layers,
             " layers, ", encoder.hidden_size, " wide, ", encoder.heads, " heads, ", encoder.vocabulary_size,
             " words, ", model.encoder->parameters().values().numel(), " parameters with the head's\n");
  for (const auto& [name, word] : properties.evaluation) text += concat("  evaluated with ", name, " ", word, "\n");
  return text;
}

std::string saved_model_json(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const EncoderConfig& encoder = model.encoder->settings().encoder;
  const Words words = words_of(model);
  nlohmann::ordered_json report{{"kind", "model"},
                                {"state", properties.state},
                                {"step", properties.step},
                                {"similarity", words.similarity},
                                {"threshold", properties.threshold},
                                {"mean", words.mean},
                                {"pooling", model.encoder->settings().pooling},
                                {"max_tokens", properties.max_tokens},
                                {"precision", words.precision},
                                {"evaluation", properties.evaluation},
                                {"parameters", model.encoder->parameters().values().numel()}};
  report["encoder"] = {{"architecture", words.architecture},
                       {"layers", encoder.layers},
                       {"hidden_size", encoder.hidden_size},
                       {"heads", encoder.heads},
                       {"intermediate_size", encoder.intermediate_size},
                       {"vocabulary_size", encoder.vocabulary_size}};
  return report.dump(2) + "\n";
}

}  // namespace gausscse
