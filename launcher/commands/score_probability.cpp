#include "launcher/commands/score_probability.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/error.hpp"
#include "launcher/calibration_option.hpp"
#include "launcher/log.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

constexpr const char* probability_column = "probability";
constexpr const char* direction_column = "direction";

nlohmann::ordered_json confidence_or_null(const std::optional<double>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

std::optional<double> observed_share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void add_probability_options(CLI::App& command, ProbabilityOptions& options) {
  CLI::Option* probability =
      command.add_flag("--probability", options.probability,
                       "add the probability that the first sentence entails the second (docs/probabilities.md)");
  add_calibrator_option(command, options.calibrator,
                        "way from similarities to the probability: platt, logistic or isotonic")
      ->needs(probability);
  add_calibration_option(command, options.calibration)->needs(probability);
  add_risk_option(command, options.risk,
                  "promise at most this share of wrong answers, such as 0.05: the verdict is \"entailed\", \"not "
                  "entailed\" or, where the model is not sure enough, \"abstains\"")
      ->needs(probability);
  command
      .add_flag("--labels", options.labels,
                "lines have a third column, the label (entailment, neutral, contradiction, not_entailment or - for "
                "none): report the observed error and coverage")
      ->needs(probability);
}

ProbabilityAnswers::ProbabilityAnswers(Calibration calibration, const ProbabilityOptions& options)
    : answers_(std::move(calibration), parse_choice<Calibrator>("--calibrator", options.calibrator), options.risk),
      shift_(answers_.calibration(), PairSelection::given),
      has_labels_(options.labels) {
  if (options.risk == 0) return;
  const std::string& set = answers_.calibration().numbers().set;
  if (const std::optional<double> confidence = answers_.confidence())
    spdlog::info("on pairs like those of {} answers of a confidence of at least {} are wrong at most in {} % of cases",
                 quoted(set), *confidence, percent_text(options.risk));
  else
    warn_always(concat("no confidence promises an error of at most ", percent_text(options.risk), " % on the set ",
                       quoted(set), ": every pair abstains: give a larger --risk, or a calibration of more pairs"));
}

const char* ProbabilityAnswers::answer(const PairEvidence& pair, std::optional<NliLabel> label,
                                       nlohmann::ordered_json& columns) {
  const RiskAnswer answer = answers_.answer(pair);
  shift_.add(pair);
  if (label && *label != NliLabel::none) {
    ++labelled_;
    if (answer.is_given) ++answered_;
    if (answer.is_given && answer.is_entailed() != (*label == NliLabel::entailment)) ++errors_;
  }
  columns[probability_column] = answer.probability;
  if (answer.direction != nullptr) columns[direction_column] = answer.direction;
  return answer.verdict;
}

std::string ProbabilityAnswers::heading() const {
  return concat("\t", probability_column, answers_.gives_directions() ? concat("\t", direction_column) : "");
}

void ProbabilityAnswers::add_to(nlohmann::ordered_json& report) const {
  const CalibrationNumbers& numbers = answers_.calibration().numbers();
  nlohmann::ordered_json calibration{
      {"set", numbers.set}, {"data", numbers.data_hash}, {"calibrator", name_of(answers_.calibrator())}};
  if (answers_.risk() > 0) {
    calibration["risk"] = answers_.risk();
    calibration["confidence"] = confidence_or_null(answers_.confidence());
    if (answers_.gives_directions()) calibration["difference"] = confidence_or_null(answers_.difference());
  }
  report["calibration"] = std::move(calibration);
  if (!has_labels_) return;
  report["observed"] = {{"labelled", labelled_},
                        {"answered", answered_},
                        {"errors", errors_},
                        {"coverage", confidence_or_null(observed_share(answered_, labelled_))},
                        {"error", confidence_or_null(observed_share(errors_, answered_))}};
}

void ProbabilityAnswers::log_observed(const std::string& name) const {
  if (const std::string text = shift_.warning(name); !text.empty()) spdlog::warn(text);
  if (!has_labels_) return;
  if (labelled_ == 0) {
    spdlog::warn("no pair has a gold label: nothing was observed");
    return;
  }
  spdlog::info("observed: {} of {} labelled pairs are answered ({} %), {} of them wrong ({} %)", answered_, labelled_,
               percent_text(*observed_share(answered_, labelled_)), errors_,
               answered_ == 0 ? "-" : percent_text(*observed_share(errors_, answered_)));
}

}  // namespace gausscse
