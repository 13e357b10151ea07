#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "inference/calibration/calibration.hpp"
#include "model/choices.hpp"

namespace gausscse {

namespace {

constexpr const char* calibration_format = "gausscse-calibration/2";
/// Format of earlier versions, whose logistic calibrator lacks the last column, the cosine.
constexpr const char* format_without_cosine = "gausscse-calibration/1";
/// Format of a calibration of hits.
constexpr const char* format_of_hits = "gausscse-calibration/3";

/// Names of the members whose meaning depends on the kind of the calibration.
struct MemberNames {
  const char *count, *positive;
};

MemberNames members_of(CalibrationOf of) {
  return of == CalibrationOf::hits ? MemberNames{"queries", "right"} : MemberNames{"pairs", "entailed"};
}

nlohmann::ordered_json json_of(const std::vector<RiskCut>& cuts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RiskCut& cut : cuts) list.push_back({cut.confidence, cut.answered, cut.errors});
  return list;
}

/// An object of the file, whose members are taken one by one.
class CalibrationObject {
 public:
  CalibrationObject(const nlohmann::json& object, std::string source, std::string path)
      : object_(object), source_(std::move(source)), path_(std::move(path)) {
    if (!object_.is_object()) fail("", "is not an object");
  }

  bool has(const char* name) const { return object_.contains(name); }
  const nlohmann::json& member(const char* name) {
    if (!object_.contains(name)) fail(name, "is missing");
    ++taken_;
    return object_.at(name);
  }
  CalibrationObject object(const char* name) { return {member(name), source_, path_ + name + "."}; }
  std::string text(const char* name) {
    const nlohmann::json& value = member(name);
    if (!value.is_string()) fail(name, "is not a text");
    return value.get<std::string>();
  }
  std::uint64_t count(const char* name) {
    const nlohmann::json& value = member(name);
    if (!value.is_number_unsigned()) fail(name, "is not a whole number of 0 or more");
    return value.get<std::uint64_t>();
  }
  double number(const char* name) { return number_in(member(name), name); }
  std::vector<double> numbers(const char* name) {
    std::vector<double> values;
    for (const nlohmann::json& value : list(name)) values.push_back(number_in(value, name));
    return values;
  }
  /// Returns the first `columns` numbers; the other ones are `missing`.
  PairFeatures features(const char* name, std::size_t columns, double missing) {
    const std::vector<double> values = numbers(name);
    PairFeatures features{};
    features.fill(missing);
    if (values.size() != columns) fail(name, concat("has ", values.size(), " numbers, not ", columns));
    std::copy(values.begin(), values.end(), features.begin());
    return features;
  }
  std::vector<RiskCut> cuts(const char* name) {
    std::vector<RiskCut> cuts;
    for (const nlohmann::json& value : list(name)) {
      if (!value.is_array() || value.size() != 3 || !value[0].is_number() || !value[1].is_number_unsigned() ||
          !value[2].is_number_unsigned())
        fail(name, "has an entry that is not [confidence, answered, errors]");
      const RiskCut cut{value[0].get<double>(), value[1].get<std::uint64_t>(), value[2].get<std::uint64_t>()};
      const RiskCut& before = cuts.empty() ? RiskCut{std::numeric_limits<double>::infinity(), 0, 0} : cuts.back();
      if (cut.errors < before.errors || cut.answered <= before.answered || cut.errors > cut.answered ||
          !(cut.confidence < before.confidence))
        fail(name, "is not a list of falling confidences with rising numbers of pairs and errors among them");
      cuts.push_back(cut);
    }
    return cuts;
  }
  /// Throws InputError where a member was not taken.
  void end() const {
    if (taken_ != object_.size()) fail("", "has a member that is not known to this version");
  }
  [[noreturn]] void fail(const std::string& name, const std::string& problem) const {
    const std::string place = path_ + name;
    throw InputError(concat(source_, ": ", place.empty() ? "the calibration" : quoted(place), " ", problem,
                            ": fit it again, with `gausscse eval --save-calibration`, or train again"));
  }

 private:
  const nlohmann::json& list(const char* name) {
    const nlohmann::json& value = member(name);
    if (!value.is_array()) fail(name, "is not a list");
    return value;
  }
  double number_in(const nlohmann::json& value, const char* name) const {
    if (!value.is_number()) fail(name, "is not a number");
    return value.get<double>();
  }

  const nlohmann::json& object_;
  std::string source_, path_;
  std::size_t taken_ = 0;
};

/// A column that the file lacks has no weight.
LogisticFit logistic_in(CalibrationObject object, std::size_t columns) {
  LogisticFit fit{object.features("means", columns, 0), object.features("scales", columns, 1),
                  object.features("weights", columns, 0), object.number("intercept")};
  if (std::any_of(fit.scale.begin(), fit.scale.end(), [](double scale) { return !(scale > 0); }))
    object.fail("scales", "has a number that is not over 0");
  object.end();
  return fit;
}

IsotonicFit isotonic_in(CalibrationObject object) {
  IsotonicFit fit{object.numbers("logits"), object.numbers("probabilities")};
  const std::vector<double>& p = fit.probability;
  if (p.empty() || p.size() != fit.logit.size())
    object.fail("probabilities", "has no numbers, or not one for each of the logits");
  if (std::adjacent_find(fit.logit.begin(), fit.logit.end(), std::greater_equal<>()) != fit.logit.end())
    object.fail("logits", "does not rise");
  if (!std::is_sorted(p.begin(), p.end()) || p.front() < 0 || p.back() > 1)
    object.fail("probabilities", "falls, or is not in 0 to 1");
  object.end();
  return fit;
}

}  // namespace

std::string Calibration::text() const {
  const CalibrationNumbers& n = numbers_;
  const MemberNames members = members_of(n.of);
  nlohmann::ordered_json json{{"format", is_of_hits() ? format_of_hits : calibration_format}};
  if (is_of_hits()) json["of"] = name_of(n.of);
  json["similarity"] = name_of(n.similarity);
  json["set"] = n.set;
  json["data"] = n.data_hash;
  if (!n.weights.empty()) json["weights"] = n.weights;
  if (is_of_hits()) json["rows"] = n.rows;
  json[members.count] = n.pairs;
  json["fitted"] = n.fitted;
  json[members.positive] = n.entailed;
  json["platt"] = {{"slope", n.platt.slope}, {"intercept", n.platt.intercept}};
  json["logistic"] = {{"means", n.logistic.mean},
                      {"scales", n.logistic.scale},
                      {"weights", n.logistic.weight},
                      {"intercept", n.logistic.intercept}};
  json["isotonic"] = {{"logits", n.isotonic.logit}, {"probabilities", n.isotonic.probability}};
  nlohmann::ordered_json cuts;
  for (const auto& [calibrator, name] : names<Calibrator>)
    cuts[std::string(name)] = json_of(n.cuts[static_cast<std::size_t>(calibrator)]);
  if (!is_of_hits()) cuts["direction"] = json_of(n.direction_cuts);
  json["cuts"] = std::move(cuts);
  json[check_member] = check_of(json);
  return json.dump(1) + "\n";
}

Calibration Calibration::parse(std::string_view text, std::string_view source) {
  const JsonDocument document = parse_strict_json(text, source);
  CalibrationObject object(document, std::string(source), "");
  const std::string format = object.text("format");
  if (format != calibration_format && format != format_without_cosine && format != format_of_hits)
    object.fail("format", concat("is not ", quoted(calibration_format), ", ", quoted(format_without_cosine), " or ",
                                 quoted(format_of_hits)));
  if (object.text(check_member) != check_of(document))
    object.fail(check_member, "does not fit the rest, so the file was damaged or changed by hand");
  CalibrationNumbers n;
  n.of = format == format_of_hits ? CalibrationOf::hits : CalibrationOf::pairs;
  const bool of_hits = n.of == CalibrationOf::hits;
  if (of_hits && object.text("of") != name_of(n.of)) object.fail("of", concat("is not ", quoted(name_of(n.of))));
  const MemberNames members = members_of(n.of);
  const std::string similarity = object.text("similarity");
  const auto kind = find_choice<Similarity>(similarity);
  if (!kind) object.fail("similarity", concat("is ", quoted(similarity), ", which is not known"));
  n.similarity = *kind;
  n.set = object.text("set");
  n.data_hash = object.text("data");
  if (object.has("weights")) n.weights = object.text("weights");
  if (of_hits) n.rows = object.count("rows");
  n.pairs = object.count(members.count);
  n.fitted = object.count("fitted");
  n.entailed = object.count(members.positive);
  CalibrationObject platt = object.object("platt");
  n.platt = {platt.number("slope"), platt.number("intercept")};
  platt.end();
  n.logistic =
      logistic_in(object.object("logistic"), PairFeatures{}.size() - (format == format_without_cosine ? 1 : 0));
  n.isotonic = isotonic_in(object.object("isotonic"));
  CalibrationObject cuts = object.object("cuts");
  for (const auto& [calibrator, name] : names<Calibrator>)
    n.cuts[static_cast<std::size_t>(calibrator)] = cuts.cuts(std::string(name).c_str());
  if (!of_hits) n.direction_cuts = cuts.cuts("direction");
  cuts.end();
  object.end();
  return Calibration(std::move(n));
}

}  // namespace gausscse
