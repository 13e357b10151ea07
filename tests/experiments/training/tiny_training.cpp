#include "tests/experiments/training/tiny_training.hpp"

#include <algorithm>

#include "dist/communicator.hpp"
#include "experiments/training/train_trial.hpp"

namespace gausscse::testing_support {

namespace fs = std::filesystem;

TinyTraining::TinyTraining() {
  fs::copy(golden("weights/tiny-bert"), folder / "model", fs::copy_options::recursive);
  fs::copy_file(golden("training/vocab.txt"), folder / "model" / "vocab.txt");
}

Trial TinyTraining::trial(const std::vector<std::string>& overrides) const {
  const std::string yaml =
      "format: gausscse-trial/1\nbackbone: {path: model}\noutput: out\ntraining: {batch_size: 7, precision: fp32}\n"
      "data: {train: \"" +
      golden("training/train.csv").string() + "\", dev: \"" + golden("training/dev.jsonl").string() +
      "\", cache: cache}\n";
  return parse_trial(yaml, "trial", folder.path(), overrides);
}

TinyRun TinyTraining::train(Trial trial) const {
  trial.output = folder / ("run" + std::to_string(runs_++));
  TinyRun run;
  NoRequests requests;
  run.result = train_trial(trial, {}, *make_self_communicator(), run.told, requests);
  run.model = trial.output / "model";
  return run;
}

fs::path TinyTraining::write(const std::string& name, const std::string& text) const {
  write_bytes(folder / name, text);
  return folder / name;
}

bool holds(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

std::string nli_line(const std::string& label, const std::string& premise, const std::string& hypothesis) {
  return "{\"gold_label\": \"" + label + "\", \"sentence1\": \"" + premise + "\", \"sentence2\": \"" + hypothesis +
         "\"}\n";
}

}  // namespace gausscse::testing_support
