#include "evaluation/geometry/geometry_task.hpp"

#include <utility>

#include "base/error.hpp"
#include "evaluation/geometry/geometry_measurement.hpp"
#include "evaluation/geometry/sentences_of_file.hpp"
#include "evaluation/geometry/token_geometry.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

namespace {

TokenStore read_store(const std::string& name, const GeometryTaskSettings& settings, const SentenceModel& model,
                      const ReadingSettings& reading, ReadReport& report) {
  if (!model.has_layers())
    throw InputError(concat("the task ", quoted(name),
                            " measures the layers of an encoder, and word vectors have none: ",
                            "leave it out, or give a model with layers"));
  return TokenStore::from_sentences(read_sentences(settings.file, reading.bad_lines, report), *model.tokenizer,
                                    model.positions, reading.threads);
}

}  // namespace

GeometryTask::GeometryTask(std::string name, const GeometryTaskSettings& settings, const SentenceModel& model,
                           const ReadingSettings& reading)
    : name_(std::move(name)),
      settings_(settings.measured),
      store_(read_store(name_, settings, model, reading, report_)),
      tokens_(model.tokenizer->tokens()) {}

Measurement GeometryTask::measure(SentenceEmbedder& model, Communicator& communicator,
                                  const std::vector<Measurement>&) const {
  SentenceEncoder* const found = encoder_of(model);
  GAUSSCSE_CHECK(found, "a task of layers was made for a model that has some");
  SentenceEncoder& encoder = *found;
  const auto pad = static_cast<std::uint32_t>(encoder.settings().encoder.pad_token_id);
  const TokenGeometry geometry = measure_token_geometry(encoder, store_, pad, settings_, communicator);
  return communicator.is_root() ? measurement_of(name_, geometry, tokens_) : Measurement{};
}

}  // namespace gausscse
