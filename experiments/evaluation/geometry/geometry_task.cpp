#include "experiments/evaluation/geometry/geometry_task.hpp"

#include <utility>

#include "experiments/evaluation/geometry/geometry_measurement.hpp"
#include "experiments/evaluation/geometry/sentences_of_file.hpp"
#include "experiments/evaluation/geometry/token_geometry.hpp"

namespace gausscse {

GeometryTask::GeometryTask(std::string name, const GeometryTaskSettings& settings, const TaskModel& model)
    : name_(std::move(name)),
      settings_(settings.measured),
      store_(
          TokenStore::from_sentences(read_sentences(settings.file), model.tokenizer, model.positions, model.threads)),
      tokens_(model.tokenizer.tokens()) {}

Measurement GeometryTask::measure(SentenceEncoder& encoder, Communicator& communicator,
                                  const std::vector<Measurement>&) const {
  const auto pad = static_cast<std::uint32_t>(encoder.settings().encoder.pad_token_id);
  const TokenGeometry geometry = measure_token_geometry(encoder, store_, pad, settings_, communicator);
  return communicator.is_root() ? measurement_of(name_, geometry, tokens_) : Measurement{};
}

}  // namespace gausscse
