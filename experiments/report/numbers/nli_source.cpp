#include "experiments/report/numbers/nli_source.hpp"

#include <cmath>
#include <stdexcept>
#include <system_error>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "evaluation/metrics/metrics.hpp"

namespace gausscse {

namespace {

NliTexts unknown(std::string problem) {
  NliTexts texts;
  texts.problem = std::move(problem);
  return texts;
}

}  // namespace

std::optional<NliSource> nli_source_of(const Trial& trial, const std::string& task, const Provenance& provenance) {
  for (const TaskSettings& settings : trial.tasks) {
    const auto* nli = std::get_if<NliTaskSettings>(&settings.of_kind);
    if (settings.name != task || !nli) continue;
    NliSource source;
    source.file = nli->file;
    for (const auto& [name, hash] : provenance.data_hashes)
      if (name == nli->file.string()) source.hash = hash;
    source.sick_set = nli->rows_read() == setting::SickRows::dev ? "TRIAL" : "TEST";
    source.skip_bad_lines = trial.data.bad_lines != BadLines::error;
    source.trim = trial.data.trim;
    source.layout = trial.data.layout;
    return source;
  }
  return std::nullopt;
}

NliTexts read_nli_texts(const NliSource& source, const std::set<std::size_t>& chosen) {
  if (source.file.empty()) return unknown("its pairs were held out of the training files, which are not read here");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(source.file, ignored))
    return unknown(concat("its file ", source.file.string(), " is not there"));
  if (source.hash.empty()) return unknown(concat("the result has no hash of its file ", source.file.string()));
  try {
    if (content_hash(source.file) != source.hash)
      return unknown(concat("its file ", source.file.string(), " is not the one that was measured (other content)"));
    NliTexts texts;
    ReadReport report;
    const ReadOptions options{.bad_lines = source.skip_bad_lines ? BadLines::skip : BadLines::error,
                              .sick_set = source.sick_set,
                              .trim = source.trim,
                              .labels = NliLabels::three_or_two,
                              .layout = source.layout};
    for_each_nli_pair(source.file, options, report, [&](NliPair&& pair) {
      const auto premise = static_cast<double>(character_length(pair.premise));
      const auto hypothesis = static_cast<double>(character_length(pair.hypothesis));
      texts.length_ratios.push_back(std::log(premise / hypothesis));
      if (chosen.contains(texts.pairs)) texts.chosen.emplace(texts.pairs, std::move(pair));
      ++texts.pairs;
    });
    return texts;
  } catch (const std::runtime_error& error) {
    return unknown(concat("its file cannot be read: ", error.what()));
  }
}

}  // namespace gausscse
