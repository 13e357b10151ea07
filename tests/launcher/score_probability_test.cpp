#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "inference/calibration/calibration.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Sixty pairs, every third one an entailment, and a calibration of their model. P is over one half for about half of
/// them, and at 5 % risk answers need the confidence of a third of them.
class ScoreProbability : public TinyProjectTest {
 protected:
  ScoreProbability() : model_(path("saved")), first_(tiny_sentences(60, 3)), second_(tiny_sentences(60, 4)) {
    second_[6] = "";
    save_tiny_model(project_, model_, {});
    const std::vector<Embedding> first = embed_one_by_one(model_, first_), second = embed_one_by_one(model_, second_);
    std::vector<double> logits;
    for (std::size_t i = 0; i < first.size(); ++i) {
      forward_.push_back(per_dimension_similarity(second[i], first[i]));
      backward_.push_back(per_dimension_similarity(first[i], second[i]));
      const std::size_t dimension = first[i].size() / 2;
      double difference = 0;
      for (std::size_t d = dimension; d < 2 * dimension; ++d)
        difference +=
            (static_cast<double>(second[i][d]) - static_cast<double>(first[i][d])) / static_cast<double>(dimension);
      log_var_.push_back(difference);
      cosine_.push_back(cosine_of_means(first[i], second[i]));
      logits.push_back(std::log(forward_[i] / (1 - forward_[i])));
    }
    std::vector<double> sorted = logits;
    std::sort(sorted.begin(), sorted.end());
    CalibrationNumbers numbers;
    numbers.set = "made up";
    numbers.data_hash = "00";
    numbers.platt = {2, -2 * (sorted[29] + sorted[30]) / 2};
    numbers.logistic = {{0, 0, 0, 0, 0.5}, {1, 1, 1, 1, 0.5}, {0.5, -0.25, 3, 0.75, 2}, 0.125};
    numbers.isotonic = {{-100, 100}, {0.25, 0.25}};
    std::vector<double> confidence;
    for (const double logit : logits) {
      p_.push_back(1 / (1 + std::exp(-(numbers.platt.slope * logit + numbers.platt.intercept))));
      confidence.push_back(std::max(p_.back(), 1 - p_.back()));
    }
    std::sort(confidence.rbegin(), confidence.rend());
    least_ = (confidence[19] + confidence[20]) / 2;
    numbers.cuts[0] = {{least_, 100, 0}};
    numbers.direction_cuts = {{1e-3, 100, 0}};
    calibration_ = path("calibration.json");
    write_bytes(calibration_, Calibration(numbers).text());
    std::string lines;
    for (std::size_t i = 0; i < first_.size(); ++i) lines += concat(first_[i], "\t", second_[i], "\t", label(i), "\n");
    labelled_ = path("labelled.tsv");
    write_bytes(labelled_, lines);
  }

  static double cosine_of_means(const Embedding& a, const Embedding& b) {
    double product = 0, of_a = 0, of_b = 0;
    for (std::size_t d = 0; d < a.size() / 2; ++d) {
      const auto x = static_cast<double>(a[d]), y = static_cast<double>(b[d]);
      product += x * y;
      of_a += x * x;
      of_b += y * y;
    }
    return product / std::sqrt(of_a * of_b);
  }

  static const char* label(std::size_t pair) {
    return pair == 59 ? "-" : pair % 3 == 0 ? "entailment" : pair % 3 == 1 ? "neutral" : "contradiction";
  }

  ProgramRun score(const std::vector<std::string>& options, int ranks = 0) {
    return run_program(with({"score", model_, labelled_, "--labels", "--probability"}, options), ranks);
  }

  static std::vector<std::vector<std::string>> cells(const std::string& output) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream columns(line);
      rows.emplace_back();
      for (std::string cell; std::getline(columns, cell, '\t');) rows.back().push_back(cell);
    }
    return rows;
  }

  /// Returns the number of answered pairs among the first `pairs`.
  std::ptrdiff_t answered_of(std::ptrdiff_t pairs) const {
    return std::count_if(p_.begin(), p_.begin() + pairs, [&](double p) { return std::max(p, 1 - p) >= least_; });
  }

  std::string model_, calibration_, labelled_;
  std::vector<std::string> first_, second_;
  std::vector<double> forward_, backward_, log_var_, cosine_, p_;
  double least_ = 0;
};

TEST_F(ScoreProbability, IsAColumnByEachCalibrator) {
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const ProgramRun run = score({"--calibration", calibration_, "--calibrator", std::string(name), "--json",
                                  path("scores.json"), "--overwrite"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_EQ(nlohmann::json::parse(read_whole_file(path("scores.json"), 1 << 20))["calibration"]["calibrator"], name);
    const auto rows = cells(run.output);
    ASSERT_EQ(rows.size(), 60u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].size(), 4u);
      const double ratio = std::log(static_cast<double>(std::max<std::size_t>(second_[i].size(), 1)) /
                                    static_cast<double>(first_[i].size()));
      const double logistic = 0.5 * std::log(forward_[i] / (1 - forward_[i])) -
                              0.25 * std::log(backward_[i] / (1 - backward_[i])) + 3 * log_var_[i] + 0.75 * ratio +
                              2 * (cosine_[i] - 0.5) / 0.5 + 0.125;
      const double expected = calibrator == Calibrator::platt      ? p_[i]
                              : calibrator == Calibrator::logistic ? 1 / (1 + std::exp(-logistic))
                                                                   : 0.25;
      EXPECT_NEAR(std::stod(rows[i][3]), expected, 1e-4 + 1e-5 / (1 - forward_[i]) + 1e-5 / (1 - backward_[i]))
          << name << " of pair " << i;
    }
  }
}

TEST_F(ScoreProbability, AbstainsAtARiskAndReportsWhatWasObserved) {
  const std::string json = path("scores.json");
  std::string output, log;
  for (const int ranks : {0, 2}) {
    const ProgramRun run =
        score({"--calibration", calibration_, "--risk", "0.05", "--header", "--json", json, "--overwrite"}, ranks);
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    if (output.empty()) output = run.output;
    EXPECT_EQ(run.output, output);
    log = run.errors;
    EXPECT_TRUE(says(log, concat("observed: ", answered_of(59), " of 59 labelled pairs are answered")));
  }
  const auto rows = cells(output);
  ASSERT_EQ(rows.size(), 61u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"sim(second||first)", "sim(first||second)", "verdict", "probability",
                                               "direction"}));
  int answered = 0, answered_with_label = 0, errors = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const bool answers = std::max(p_[i], 1 - p_[i]) >= least_;
    EXPECT_EQ(rows[i + 1][2], !answers ? "abstains" : p_[i] >= 0.5 ? "entailed" : "not entailed") << i;
    const double difference = forward_[i] - backward_[i];
    if (std::abs(std::abs(difference) - 1e-3) > 1e-5) {
      EXPECT_EQ(rows[i + 1][4], std::abs(difference) < 1e-3 ? "abstains"
                                : difference > 0            ? "first entails second"
                                                            : "second entails first")
          << i;
    }
    answered += answers;
    if (i == 59) continue;
    answered_with_label += answers;
    errors += answers && (p_[i] >= 0.5) != (i % 3 == 0);
  }
  EXPECT_EQ(answered, 20);
  char shares[80];
  std::snprintf(shares, sizeof shares, "(%.2f %%), %d of them wrong (%.2f %%)", 100 * answered_with_label / 59.0,
                errors, 100.0 * errors / answered_with_label);
  EXPECT_TRUE(says(log, shares));
  const nlohmann::json report = nlohmann::json::parse(read_whole_file(json, 1 << 20));
  EXPECT_EQ(report["calibration"]["set"], "made up");
  EXPECT_EQ(report["calibration"]["calibrator"], "platt");
  EXPECT_EQ(report["calibration"]["risk"], 0.05);
  EXPECT_EQ(report["calibration"]["confidence"], least_);
  EXPECT_EQ(report["calibration"]["difference"], 1e-3);
  EXPECT_EQ(report["observed"]["labelled"], 59);
  EXPECT_EQ(report["observed"]["answered"], answered_with_label);
  EXPECT_EQ(report["observed"]["errors"], errors);
  EXPECT_DOUBLE_EQ(report["observed"]["coverage"], answered_with_label / 59.0);
  EXPECT_DOUBLE_EQ(report["observed"]["error"], static_cast<double>(errors) / answered_with_label);
  EXPECT_NEAR(report["pairs"][7]["probability"].get<double>(), p_[7], 1e-4);
}

/// The calibration has the means of these pairs, and one of them a little over or under the boundary of 60 pairs away.
TEST_F(ScoreProbability, WarnsOfPairsThatAreUnlikeThoseOfTheCalibration) {
  CalibrationNumbers numbers = Calibration::read(calibration_).numbers();
  numbers.logistic.scale.fill(2);
  numbers.logistic.mean.fill(0);
  for (std::size_t i = 0; i < 60; ++i) {
    const double ratio = std::log(static_cast<double>(std::max<std::size_t>(second_[i].size(), 1)) /
                                  static_cast<double>(first_[i].size()));
    const PairFeatures x = {std::log(forward_[i] / (1 - forward_[i])), std::log(backward_[i] / (1 - backward_[i])),
                            log_var_[i], ratio, cosine_[i]};
    for (std::size_t feature = 0; feature < x.size(); ++feature) numbers.logistic.mean[feature] += x[feature] / 60;
  }
  const double boundary = 5 / std::sqrt(60.0);
  const char* const names[] = {"logit of sim(second||first)", "logit of sim(first||second)",
                               "difference of mean log-variances", "ln of the ratio of lengths", "cosine of the means"};
  for (std::size_t feature = 0; feature < 5; ++feature)
    for (const bool is_beyond : {false, true}) {
      CalibrationNumbers shifted = numbers;
      shifted.logistic.mean[feature] += 2 * boundary * (is_beyond ? 1.02 : 0.98);
      write_bytes(calibration_, Calibration(shifted).text());
      const ProgramRun run = score({"--calibration", calibration_}, feature == 0 ? 2 : 0);
      ASSERT_EQ(run.exit_code, 0) << run.errors;
      const std::string shift = concat("the mean of the ", names[feature], " is 0.66 lower;");
      EXPECT_EQ(run.errors.find("60 pairs unlike those of \"made up\"") != std::string::npos, is_beyond) << run.errors;
      EXPECT_EQ(run.errors.find(shift) != std::string::npos, is_beyond) << run.errors;
      EXPECT_EQ(run.errors.find("unlike"), run.errors.rfind("unlike")) << "one warning";
    }
}

TEST_F(ScoreProbability, AbstainsFromAllWhereNoThresholdPasses) {
  const ProgramRun run = score({"--calibration", calibration_, "--risk", "0.01"});
  ASSERT_TRUE(ended(run, 0, {"every pair abstains", "observed: 0 of 59 labelled pairs are answered"}));
  for (const auto& row : cells(run.output)) EXPECT_EQ(row.at(2), "abstains");
  const ProgramRun quiet = score({"--calibration", calibration_, "--risk", "0.01", "--quiet"});
  EXPECT_TRUE(ended(quiet, 0, {"warning: no confidence promises an error of at most 1.00 %", "every pair abstains"}));
  EXPECT_EQ(std::count(quiet.errors.begin(), quiet.errors.end(), '\n'), 1) << quiet.errors;
}

TEST_F(ScoreProbability, IsThatOfTheModelsFolder) {
  EXPECT_TRUE(ended(score({}), 2, {"has no calibration.json", "--save-calibration"}));
  const ProgramRun given = score({"--calibration", calibration_});
  write_bytes(std::filesystem::path(model_) / "calibration.json", read_whole_file(calibration_, 1 << 20));
  const ProgramRun own = score({});
  ASSERT_EQ(own.exit_code, 0) << own.errors;
  EXPECT_EQ(own.output, given.output);
}

/// Returns the hash of a saved model's weights by its definition: names and values of all tensors, by rising name.
std::string hash_of_weights(const std::filesystem::path& model) {
  std::map<std::string, std::string> tensors;
  for (const char* file : {"model.safetensors", "gausscse.safetensors"}) {
    const std::string bytes = read_whole_file(model / file, 1 << 24);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    const nlohmann::json header = nlohmann::json::parse(bytes.substr(8, size));
    for (const auto& [name, tensor] : header.items()) {
      if (name == "__metadata__") continue;
      const std::size_t begin = tensor.at("data_offsets")[0], end = tensor.at("data_offsets")[1];
      tensors[name] = bytes.substr(8 + size + begin, end - begin);
    }
  }
  std::string all;
  for (const auto& [name, values] : tensors) all.append(name).append(1, '\0').append(values);
  return content_hash_of(all);
}

std::size_t times_told(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST_F(ScoreProbability, BelongsToTheWeightsThatItWasFittedTo) {
  const std::string fitted = path("fitted.json"), dev = project_.dev().string(), own = hash_of_weights(model_);
  run_expecting(0, {"eval", model_, "--dev", dev, "--save-calibration", fitted}, {}, 2);
  EXPECT_EQ(Calibration::read(fitted).numbers().weights, own);
  const ProgramRun used = score({"--calibration", fitted});
  ASSERT_EQ(used.exit_code, 0) << used.errors;
  EXPECT_FALSE(says(used.errors, "does not say which weights"));
  // A file of an earlier version has no hash.
  const ProgramRun earlier = score({"--calibration", calibration_}, 2);
  ASSERT_EQ(earlier.exit_code, 0) << earlier.errors;
  EXPECT_EQ(times_told(earlier.errors, "does not say which weights it was fitted to"), 1u) << earlier.errors;
  run_expecting(0, {"search", model_, dev, dev, "--top", "1", "--calibration", calibration_},
                {"does not say which weights it was fitted to"});

  const std::filesystem::path replaced = path("replaced");
  save_tiny_model(project_, replaced, {.head_seed = 6});
  const std::string other = hash_of_weights(replaced);
  ASSERT_NE(other, own);
  const std::vector<std::string> score_replaced{"score", replaced.string(), labelled_, "--labels", "--probability"};
  const std::vector<std::string> with_fitted = with(score_replaced, {"--calibration", fitted});
  run_expecting(2, with_fitted, {fitted, "was fitted to other weights", own, other});
  std::filesystem::copy_file(fitted, replaced / "calibration.json");
  run_expecting(2, score_replaced,
                {(replaced / "calibration.json").string(), "was fitted to other weights", own, other}, 2);
  // No probability is asked for.
  write_bytes(path("pair.tsv"), "w1\tw2\n");
  run_expecting(0, {"score", replaced.string(), path("pair.tsv")});
  const ProgramRun measured = run_expecting(0, {"eval", replaced.string(), "--test", "x=" + dev, "--json", "-"},
                                            {"was fitted to other weights"});
  EXPECT_EQ(measured.output.find("platt.nll"), std::string::npos);
  // So it can be fitted again, to the weights that are there now.
  run_expecting(0, {"eval", replaced.string(), "--dev", dev, "--save-calibration", fitted, "--overwrite"});
  EXPECT_EQ(Calibration::read(fitted).numbers().weights, other);
  run_expecting(0, with_fitted);
}

TEST_F(ScoreProbability, OptionsThatDoNotGoTogetherAreRefused) {
  run_expecting(2, {"score", model_, labelled_, "--risk", "0.05"}, {"--probability"});
  for (const std::string risk : {"0", "1", "-0.1", "x"})
    EXPECT_TRUE(ended(score({"--calibration", calibration_, "--risk", risk}), 2, {"is no risk"})) << risk;
  EXPECT_TRUE(ended(score({"--calibration", calibration_, "--calibrator", "beta"}), 2, {"beta"}));
  write_bytes(labelled_, "w1\tw2\tentailed\n");
  EXPECT_TRUE(
      ended(score({"--calibration", calibration_}), 2, {"labelled.tsv:1", "the label \"entailed\" is unknown"}));
  write_bytes(labelled_, "w1\tw2\n");
  EXPECT_TRUE(ended(score({"--calibration", calibration_}), 2, {"labelled.tsv:1", "is not 2 sentences and a label"}));
  save_tiny_model(project_, path("joint"), {.similarity = Similarity::joint});
  run_expecting(2, {"score", path("joint"), labelled_, "--probability", "--calibration", calibration_},
                {"was fitted to the similarity \"per_dimension\"", "\"joint\""});
}

TEST_F(ScoreProbability, EvalWritesTheCalibrationOfADevelopmentSet) {
  const std::string out = path("fitted.json"), dev = project_.dev().string();
  const ProgramRun run = run_expecting(0, {"eval", model_, "--dev", dev, "--save-calibration", out});
  for (const char* heading : {"debiased [95 %]", "direction_sim % [95 %]"}) EXPECT_TRUE(says(run.output, heading));
  const ProgramRun plain = run_expecting(0, {"eval", model_, "--dev", dev});
  EXPECT_EQ(run.output.substr(0, plain.output.size()), plain.output) << "the details stand below";
  EXPECT_FALSE(says(plain.output, "[95 %]"));
  EXPECT_EQ(run_program({"eval", model_, "--dev", dev, "--details"}, 2).output, run.output);
  const Calibration calibration = Calibration::read(out);
  EXPECT_EQ(calibration.numbers().set, "dev");
  EXPECT_GT(calibration.numbers().fitted, 0u);
  const ProgramRun scored = score({"--calibration", out});
  ASSERT_EQ(scored.exit_code, 0) << scored.errors;
  const auto rows = cells(scored.output);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(std::stod(rows[i][3]), calibration.probability({.forward = forward_[i]}), 1e-3) << i;
  const std::string written = read_whole_file(out, 1 << 20);
  run_expecting(2, {"eval", model_, "--dev", dev, "--save-calibration", out},
                {"--save-calibration " + out + " is there already: give another path, or --overwrite"});
  EXPECT_EQ(read_whole_file(out, 1 << 20), written) << "nothing is replaced without a word";
  write_bytes(out, "mine\n");
  run_expecting(0, {"eval", model_, "--dev", dev, "--save-calibration", out, "--overwrite"});
  EXPECT_EQ(read_whole_file(out, 1 << 20), written);
  run_expecting(2, {"eval", model_, "--test", "x=" + dev, "--save-calibration", path("y")},
                {"needs a set that chooses its threshold"});
}

}  // namespace
}  // namespace gausscse
