#include "launcher/commands/search_answer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "inference/search/row_texts.hpp"
#include "launcher/find_calibration.hpp"
#include "launcher/log.hpp"
#include "model/hub/given_folder.hpp"
#include "results/text_table.hpp"

namespace gausscse {

std::set<std::uint64_t> rows_of_hits(const std::vector<std::vector<SearchHit>>& hits) {
  std::set<std::uint64_t> rows;
  for (const std::vector<SearchHit>& of_query : hits)
    for (const SearchHit& hit : of_query) rows.insert(hit.row);
  return rows;
}

std::optional<HitAnswers> answers_in_use(const SearchArguments& arguments, const SentenceModel& model) {
  std::optional<Calibration> calibration =
      find_calibration(arguments.calibration, arguments.model.path, model, CalibrationUse::search);
  if (!calibration) {
    if (arguments.risk > 0) throw InputError("--risk needs a calibration of hits: give it by --calibration FILE");
    spdlog::info("{} has no {} that belongs to it: the column probability is empty", arguments.model.path,
                 calibration_file);
    return std::nullopt;
  }
  std::optional<Calibrator> calibrator;
  if (!arguments.calibrator.empty()) calibrator = parse_choice<Calibrator>("--calibrator", arguments.calibrator);
  const SearchDirection direction = arguments.chosen_direction();
  HitAnswers answers(std::move(*calibration), direction, calibrator, arguments.risk);
  if (arguments.risk > 0 && !answers.confidence())
    warn_always(concat("no probability promises an error of at most ", percent_text(arguments.risk),
                       " % on the queries of ", quoted(answers.calibration().numbers().set),
                       ": every query abstains: give a larger --risk, or a calibration of more queries"));
  return answers;
}

SearchAnswer answer_of(std::vector<std::vector<SearchHit>> hits, const SearchArguments& arguments,
                       Similarity similarity, std::uint64_t rows, std::span<SentenceFile* const> texts,
                       std::optional<HitAnswers>& answers) {
  SearchAnswer answer{.similarity = similarity,
                      .direction = arguments.chosen_direction(),
                      .queries = hits.size(),
                      .rows = rows,
                      .has_texts = !texts.empty(),
                      .found = {}};
  if (answers && answers->calibration().is_of_hits()) answer.of_hits = &*answers;
  for (std::size_t query = 0; query < hits.size(); ++query) {
    std::vector<SearchHit>& of_query = hits[query];
    const std::vector<HitAnswer> of_hits =
        answers ? answers->answer(of_query) : std::vector<HitAnswer>(of_query.size());
    of_query.resize(std::min(of_query.size(), arguments.wanted()));
    for (std::size_t i = 0; i < of_query.size(); ++i)
      answer.found.push_back({.query = query,
                              .rank = i + 1,
                              .hit = of_query[i],
                              .probability = of_hits[i].probability,
                              .verdict = of_hits[i].verdict,
                              .text = {}});
  }
  if (!answer.has_texts) return answer;
  const std::map<std::uint64_t, std::string> text_of_row = texts_of_rows(texts, rows_of_hits(hits));
  for (FoundRow& found : answer.found) found.text = text_of_row.at(found.hit.row);
  return answer;
}

void log_answers(const SearchArguments& arguments, const SearchAnswer& answer, const HitAnswers& answers) {
  for (const std::string& text : answers.warnings(arguments.queries, answer.rows)) spdlog::warn(text);
  if (answer.has_verdicts() && answer.rows < 2)
    warn_always("the corpus has one row, and the probability of a best row needs a second one: every query abstains");
  if (answer.has_verdicts())
    spdlog::info("verdicts at a risk of {} %: found {}, abstains {}", percent_text(arguments.risk), answers.found(),
                 answer.queries - answers.found());
}

}  // namespace gausscse
