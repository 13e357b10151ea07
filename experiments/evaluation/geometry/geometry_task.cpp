#include "experiments/evaluation/geometry/geometry_task.hpp"

#include <utility>

#include "base/error.hpp"
#include "experiments/evaluation/geometry/geometry_report.hpp"
#include "experiments/evaluation/geometry/sentences_of_file.hpp"

namespace gausscse {

GeometryTask::GeometryTask(std::string name, const GeometryTaskSettings& settings, const Tokenizer& tokenizer,
                           std::size_t max_tokens, std::size_t threads)
    : name_(std::move(name)),
      settings_{.pads = settings.pads,
                .samples = static_cast<std::size_t>(settings.samples),
                .draws = static_cast<std::size_t>(settings.draws),
                .seed = static_cast<std::uint64_t>(settings.seed)},
      store_(TokenStore::from_sentences(read_sentences(settings.file), tokenizer, max_tokens, threads)) {}

TaskFigures GeometryTask::measure(SentenceEncoder& encoder, Communicator& communicator) const {
  const auto pad = static_cast<std::uint32_t>(encoder.settings().encoder.pad_token_id);
  const TokenGeometry geometry = measure_token_geometry(encoder, store_, pad, settings_, communicator);
  TaskFigures result{name_, {}, ""};
  const auto add = [&](const LayerGeometry& layer, const std::string& suffix) {
    for_each_figure(layer, [&](const char* name, double value) { result.figures.push_back({name + suffix, value}); });
  };
  add(geometry.layers.back(), "");
  for (std::size_t layer = 0; layer < geometry.layers.size(); ++layer) add(geometry.layers[layer], concat(".", layer));
  const std::vector<double> shares = shares_of_top(geometry.rogue);
  for (std::size_t i = 0; i < shares.size(); ++i)
    result.figures.push_back({concat("rogue.share_of_top.", i + 1), shares[i]});
  if (!geometry.rogue.order.empty())
    for (std::size_t i = 0; i < RogueDimensions::levels.size(); ++i)
      result.figures.push_back({concat("rogue.reaching.", RogueDimensions::levels[i]),
                                static_cast<double>(geometry.rogue.reaching[i]), true});
  for (const Informativity& without : geometry.informativity)
    result.figures.push_back({concat("informativity.", without.removed), without.mean});
  return result;
}

}  // namespace gausscse
