#include "tests/training/tiny_training.hpp"

#include <algorithm>

#include "dist/communicator.hpp"
#include "results/result_file.hpp"
#include "training/train_trial.hpp"

namespace gausscse {

namespace fs = std::filesystem;

TinyTraining::TinyTraining() {
  fs::copy(golden("weights/tiny-bert"), folder / "model", fs::copy_options::recursive);
  fs::copy_file(golden("training/vocab.txt"), folder / "model" / "vocab.txt");
}

std::string TinyTraining::backbone(const std::string& name) const {
  fs::copy(golden("weights") / name, folder / name, fs::copy_options::recursive);
  const bool mpnet = name == "tiny-mpnet";
  fs::copy_file(golden(mpnet ? "training/mpnet_vocab.txt" : "training/vocab.txt"), folder / name / "vocab.txt");
  if (name == "tiny-modernbert" || name == "tiny-nomic_bert")
    write_bytes(folder / name / "tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  if (mpnet) write_bytes(folder / name / "tokenizer_config.json", R"({"tokenizer_class": "MPNetTokenizer"})");
  return name;
}

Trial TinyTraining::trial(const std::vector<std::string>& overrides) const {
  const std::string yaml =
      "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\n"
      "training: {batch_size: 7, precision: fp32}\ndata: {train: \"" +
      golden("training/train.csv").string() + "\", cache: cache}\ntasks: {dev: {kind: nli, files: \"" +
      golden("training/dev.jsonl").string() + "\", eval_every: 100}}\nselect: {task: dev, figure: auprc}\n";
  return parse_trial(yaml, "trial", folder.path(), overrides);
}

TinyRun TinyTraining::train(Trial trial) const {
  trial.output = folder / ("run" + std::to_string(runs_++));
  TinyRun run;
  NoRequests requests;
  run.result = train_trial(trial, options, *make_self_communicator(), run.told, requests);
  run.model = trial.output / "model";
  return run;
}

fs::path TinyTraining::write(const std::string& name, const std::string& text) const {
  write_bytes(folder / name, text);
  return folder / name;
}

std::vector<std::string> joined(std::vector<std::string> texts, const std::vector<std::string>& more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

double metric_in(const RunResult& result, const std::string& state, const std::string& task,
                 const std::string& metric) {
  const Measurement* measurement = find_measurement(find_state(result, state)->tasks, task);
  EXPECT_TRUE(measurement) << task;
  return measurement ? metric_of(*measurement, metric) : 0;
}

bool holds(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

std::string nli_line(const std::string& label, const std::string& premise, const std::string& hypothesis) {
  return "{\"gold_label\": \"" + label + "\", \"sentence1\": \"" + premise + "\", \"sentence2\": \"" + hypothesis +
         "\"}\n";
}

}  // namespace gausscse
