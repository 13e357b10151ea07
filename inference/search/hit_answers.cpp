#include "inference/search/hit_answers.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

/// Factor between the rows of two corpora over which a calibration of hits in one may not hold in the other.
constexpr std::uint64_t notable_factor = 2;

}  // namespace

PairEvidence hit_evidence(const SearchHit& hit, SearchDirection direction) {
  if (direction == SearchDirection::entailed_by)
    return {
        .forward = hit.row_given_query, .backward = hit.query_given_row, .log_var_difference = hit.log_var_difference};
  return {
      .forward = hit.query_given_row, .backward = hit.row_given_query, .log_var_difference = -hit.log_var_difference};
}

std::optional<HitEvidence> best_hit_evidence(std::span<const SearchHit> hits) {
  if (hits.size() < 2) return std::nullopt;
  return HitEvidence{.pair = hit_evidence(hits[0], SearchDirection::entails),
                     .second = hits[1].query_given_row,
                     .last = hits[std::min(hits.size(), compared_hits) - 1].query_given_row};
}

HitAnswers::HitAnswers(Calibration calibration, SearchDirection direction, std::optional<Calibrator> calibrator,
                       double risk)
    : calibration_(std::move(calibration)),
      direction_(direction),
      calibrator_(calibrator.value_or(calibration_.usual_calibrator())),
      risk_(risk),
      shift_(calibration_, calibration_.is_of_hits() ? PairSelection::given : PairSelection::most_similar) {
  const CalibrationNumbers& numbers = calibration_.numbers();
  if (!calibration_.is_of_hits()) {
    if (risk_ > 0)
      throw InputError(concat("a search cannot promise a risk by the calibration of ", quoted(numbers.set),
                              ", which is one of pairs: the best of many rows is chosen, so its error is another one: "
                              "give a calibration of hits, of `gausscse eval MODEL --retrieval NAME=SET "
                              "--save-calibration FILE`"));
    return;
  }
  if (direction_ != SearchDirection::entails && has_direction(numbers.similarity))
    throw InputError(concat("the calibration of hits in ", quoted(numbers.set),
                            " is one of the direction \"entails\", but the search has the direction ",
                            quoted(name_of(direction_)), ": search in that direction, or give a calibration of pairs"));
  if (risk_ > 0) confidence_ = calibration_.confidence_at_risk(risk_, calibrator_);
}

std::size_t HitAnswers::hits_for(std::size_t top) const {
  return calibration_.is_of_hits() ? std::max(top, compared_hits) : top;
}

double HitAnswers::pair_probability(const SearchHit& hit) const {
  const auto probability = [&](SearchDirection of) {
    return calibration_.probability(hit_evidence(hit, of), calibrator_);
  };
  if (direction_ != SearchDirection::both) return probability(direction_);
  return std::min(probability(SearchDirection::entails), probability(SearchDirection::entailed_by));
}

std::vector<HitAnswer> HitAnswers::answer(std::span<const SearchHit> hits) {
  std::vector<HitAnswer> answers(hits.size());
  if (!calibration_.is_of_hits()) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      answers[i].probability = pair_probability(hits[i]);
      shift_.add(hit_evidence(hits[i], direction_));
    }
    return answers;
  }
  if (hits.empty()) return answers;
  HitAnswer& best = answers.front();
  if (const std::optional<HitEvidence> evidence = best_hit_evidence(hits)) {
    best.probability = calibration_.probability(*evidence, calibrator_);
    shift_.add(*evidence);
  }
  if (risk_ == 0) return answers;
  const bool is_found = confidence_ && best.probability && *best.probability >= *confidence_;
  found_ += is_found ? 1 : 0;
  best.verdict = is_found ? "found" : "abstains";
  return answers;
}

std::vector<std::string> HitAnswers::warnings(std::string_view name, std::uint64_t rows) const {
  std::vector<std::string> warnings;
  const CalibrationNumbers& numbers = calibration_.numbers();
  if (calibration_.is_of_hits() && (rows > notable_factor * numbers.rows || numbers.rows > notable_factor * rows))
    warnings.push_back(concat("the corpus has ", counted(static_cast<std::int64_t>(rows), "row"),
                              ", but the calibration was fitted on hits among ", numbers.rows, " of ",
                              quoted(numbers.set),
                              ": the more rows, the closer is a wrong one, so probabilities may be wrong, and no risk "
                              "is promised: fit a calibration on queries of a corpus of this size"));
  if (std::string text = shift_.warning(name); !text.empty()) warnings.push_back(std::move(text));
  return warnings;
}

}  // namespace gausscse
