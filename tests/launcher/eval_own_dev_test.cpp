#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/nli_reference.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns a file of SICK as SemEval has it, which does not mark pairs that entail both ways.
std::string sick_semeval_lines(const std::vector<ReferencePair>& pairs) {
  std::string lines = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n";
  for (const ReferencePair& pair : pairs) {
    const char* label = pair.label == "entailment" ? "ENTAILMENT"
                        : pair.label == "neutral"  ? "NEUTRAL"
                                                   : "CONTRADICTION";
    lines += "1\t" + pair.premise + "\t" + pair.hypothesis + "\t3.5\t" + label + "\n";
  }
  return lines;
}

/// As the thresholds of SICK's full release are chosen on SemEval's trial set.
TEST(EvalOwnDev, NeedNotTellWhichPairsEntailBothWays) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string model = (folder / "saved").string(), report = (folder / "report.json").string();
  save_tiny_model(project, model, {});
  const auto pairs = [&](std::uint64_t seed) {
    std::vector<ReferencePair> made = tiny_pairs(60, seed);
    score_pairs(model, made);
    label_pairs(made);
    return made;
  };
  const std::string test = (folder / "SICK.txt").string(), dev = (folder / "SICK_trial.txt").string();
  write_bytes(test, sick_lines(pairs(41)));
  write_bytes(dev, sick_semeval_lines(pairs(51)));
  const auto evaluate = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"eval", model, "--json", report, "--overwrite", "--two-way-pairs", "drop"});
    return run_program(flags);
  };
  ASSERT_TRUE(ended(evaluate({"--test", "sick=" + test, "--own-dev", "sick=" + dev}), 0));
  const nlohmann::json tasks = tasks_of_report(report);
  EXPECT_EQ(tasks.at("sick_dev").at("pairs"), 60);
  EXPECT_EQ(tasks.at("sick").at("threshold"), tasks.at("sick_dev").at("threshold"));
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--dev", dev}, {"--test", "sick=" + dev, "--own-dev", "sick=" + test}}) {
    EXPECT_TRUE(ended(evaluate(flags), 2, {dev + ": two_way_pairs is drop, but this file of SICK does not mark"}));
  }
}

}  // namespace
}  // namespace gausscse
