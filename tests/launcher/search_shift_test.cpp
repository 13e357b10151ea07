#include <nlohmann/json.hpp>

#include "inference/calibration/calibration.hpp"
#include "tests/launcher/search_project.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// The calibration has the means of the hits, but for one that is a little over or under the boundary of 180 hits away.
TEST_F(Search, WarnsOfHitsThatAreUnlikeThePairsOfTheCalibration) {
  const auto logit = [](double similarity) { return std::log(similarity / (1 - similarity)); };
  const auto clipped = [](double similarity) { return std::clamp(similarity, 1e-7, 1 - 1e-7); };
  const double boundary = 5 / std::sqrt(180.0);
  for (const std::string direction : {"entails", "entailed-by"}) {
    const bool entails = direction == "entails";
    CalibrationNumbers numbers;
    numbers.set = "dev";
    numbers.logistic.weight.fill(1);
    numbers.logistic.scale.fill(1);
    numbers.isotonic = {{-1, 1}, {0, 1}};
    PairFeatures mean{};
    const auto json =
        nlohmann::json::parse(run_program(search({"--direction", direction, "--top", "20", "--json", "-"})).output);
    for (const nlohmann::json& hit : json.at("hits")) {
      const double given_row = logit(clipped(hit.at("sim(query||row)").get<double>())) / 180,
                   given_query = logit(clipped(hit.at("sim(row||query)").get<double>())) / 180;
      mean[0] += entails ? given_row : given_query;
      mean[1] += entails ? given_query : given_row;
      mean[2] += (entails ? -1 : 1) * hit.at("log_var_difference").get<double>() / 180;
    }
    const std::string calibration = path("shifted.json");
    const char* const names[] = {"logit of sim(second||first)", "logit of sim(first||second)",
                                 "difference of mean log-variances"};
    for (std::size_t feature = 0; feature < 3; ++feature)
      for (const double part : {-1.02, 0.98, 1.02}) {
        numbers.logistic.mean = mean;
        numbers.logistic.mean[feature] += part * boundary;
        write_bytes(calibration, Calibration(numbers).text());
        const ProgramRun warned =
            run_program(search({"--direction", direction, "--top", "20", "--calibration", calibration}));
        // Rows are chosen by their similarity: a higher one says nothing.
        const bool warns = part > 1 || (part < 0 && feature == 2);
        EXPECT_EQ(warned.errors.find("180 pairs unlike those of \"dev\"") != std::string::npos, warns)
            << direction << names[feature] << part << warned.errors;
        EXPECT_EQ(warned.errors.find(concat(names[feature], " is 0.38 ", part > 0 ? "lower;" : "higher;")) !=
                      std::string::npos,
                  warns)
            << warned.errors;
      }
  }
}

}  // namespace
}  // namespace gausscse
