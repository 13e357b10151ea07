#include "launcher/saved_model_text.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "model/weights/encoder_family.hpp"
#include "results/json_report.hpp"
#include "results/run_result.hpp"

namespace gausscse {

namespace {

const std::string& architecture_of(const EncoderConfig& encoder) {
  return family_of(encoder.architecture).model_type;
}

std::string head_text(const HeadSettings& head) {
  switch (head.kind) {
    case HeadKind::gaussian:
      return "Gaussian head" + text_of(head).substr(std::string_view("gaussian").size());
    case HeadKind::mlp_tanh:
      return "head mlp_tanh";
    case HeadKind::none:
      return "no head";
  }
  throw std::logic_error("no head of this number");
}

/// Returns the description of the encoder and of the steps before the head.
std::string encoder_text(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const SentenceEncoderSettings& settings = model.encoder->settings();
  const EncoderConfig& encoder = settings.encoder;
  std::string text = concat(", pooling ", name_of(settings.pooling), "\n");
  text += concat("  sentences of at most ", properties.max_tokens, properties.trim ? " tokens, trimmed" : " tokens",
                 ", matrix products ", name_of(settings.precision), "\n");
  text += concat("  encoder: ", architecture_of(encoder), ", ", encoder.layers, " layers, ", encoder.hidden_size,
                 " wide, ", encoder.heads, " heads, ", encoder.vocabulary_size, " words, ",
                 model.encoder->parameters().values().numel(), " parameters with the head's\n");
  return text;
}

}  // namespace

std::string saved_model_text(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const EncoderConfig& encoder = model.encoder->settings().encoder;
  const SentenceEncoderSettings& settings = model.encoder->settings();
  std::string text =
      concat("  ", properties.state, " state of its training, after ", properties.step, " steps",
             is_untrained_best(properties.state, properties.step) ? concat(": ", untrained_best_note) : "", "\n");
  text += concat("  similarity ", name_of(properties.similarity),
                 properties.threshold ? concat(", from ", *properties.threshold, " on entailment") : ", no threshold",
                 "; ", head_text(settings.head));
  if (settings.vectors)
    text += concat("\n  for vectors of ", encoder.hidden_size, " values, without an encoder; ",
                   model.encoder->parameters().values().numel(), " parameters\n");
  else
    text += encoder_text(model);
  for (const auto& [name, word] : properties.evaluation) text += concat("  evaluated with ", name, " ", word, "\n");
  return text;
}

std::string saved_model_json(const SavedModel& model) {
  const ModelProperties& properties = model.properties;
  const EncoderConfig& encoder = model.encoder->settings().encoder;
  const SentenceEncoderSettings& settings = model.encoder->settings();
  const bool has_encoder = !settings.vectors;
  nlohmann::ordered_json report{{"format", show_format},
                                {"kind", "model"},
                                {"state", properties.state},
                                {"step", properties.step},
                                {"similarity", name_of(properties.similarity)},
                                {"head", name_of(settings.head.kind)}};
  if (has_encoder) {
    report["pooling"] = name_of(settings.pooling);
    report["max_tokens"] = properties.max_tokens;
  } else {
    report["backbone"] = "vectors";
    report["width"] = encoder.hidden_size;
  }
  report["trim"] = properties.trim;
  report["precision"] = name_of(settings.precision);
  report["evaluation"] = properties.evaluation;
  report["parameters"] = model.encoder->parameters().values().numel();
  if (settings.head.kind == HeadKind::gaussian) {
    report["mean"] = name_of(settings.head.mean);
    report["scale"] = name_of(settings.head.scale);
    report["log_var"] = name_of(settings.head.log_var);
    if (settings.head.log_var == LogVarLayer::mlp) report["log_var_width"] = settings.head.log_var_width;
  }
  if (is_untrained_best(properties.state, properties.step)) report["untrained"] = true;
  if (properties.threshold) report["threshold"] = *properties.threshold;
  if (!has_encoder) return report.dump(2) + "\n";
  report["encoder"] = {{"architecture", architecture_of(encoder)},
                       {"layers", encoder.layers},
                       {"hidden_size", encoder.hidden_size},
                       {"heads", encoder.heads},
                       {"intermediate_size", encoder.intermediate_size},
                       {"vocabulary_size", encoder.vocabulary_size}};
  return report.dump(2) + "\n";
}

}  // namespace gausscse
