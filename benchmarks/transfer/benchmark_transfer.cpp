// Time of transfer tasks from vectors to accuracies, with made-up vectors in the tasks' own numbers: one JSON line.
//   benchmark_transfer [--tasks MR,CR,...] [--mode full] [--width 384] [--threads 0]

#include <ATen/Parallel.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "evaluation/transfer/transfer_accuracy.hpp"

namespace gausscse {
namespace {

/// Examples of the three sets, as SentEval has them.
struct Sizes {
  std::int64_t train, development, test;
};
const std::map<TransferDataset, Sizes> sizes{{TransferDataset::mr, {10662, 0, 0}},
                                             {TransferDataset::cr, {3775, 0, 0}},
                                             {TransferDataset::subj, {10000, 0, 0}},
                                             {TransferDataset::mpqa, {10606, 0, 0}},
                                             {TransferDataset::sst2, {67349, 872, 1821}},
                                             {TransferDataset::sst5, {8544, 1101, 2210}},
                                             {TransferDataset::trec, {5452, 0, 500}},
                                             {TransferDataset::mrpc, {4076, 0, 1725}},
                                             {TransferDataset::sick_entailment, {4500, 500, 4927}}};

/// Makes up uniform noise from a hash of row and column, and a little of the class.
TransferSet made_up(std::int64_t first, std::int64_t rows, std::int64_t features, std::int64_t classes) {
  TransferSet set{FeatureRows(rows, features), {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto number = static_cast<std::uint32_t>(first + i);
    const std::uint32_t label = (number * 2654435761u >> 8) % static_cast<std::uint32_t>(classes);
    set.labels.push_back(label);
    for (std::int64_t k = 0; k < features; ++k) {
      std::uint32_t x = number * 0x9E3779B1u + static_cast<std::uint32_t>(k) * 0x85EBCA77u;
      x = (x ^ (x >> 15)) * 0x2C1B3C6Du;
      x = (x ^ (x >> 12)) * 0x297A2D39u;
      x ^= x >> 15;
      const float noise = static_cast<float>(x >> 8) * 0x1p-23f - 1;
      const bool meant = static_cast<std::uint32_t>(k) % static_cast<std::uint32_t>(classes) == label;
      set.x.row(i)[k] = noise + (meant ? 0.0625f : 0.0f);
    }
  }
  return set;
}

int run(std::map<std::string, std::string> options) {
  if (std::stoi(options["--threads"]) > 0) at::set_num_threads(std::stoi(options["--threads"]));
  const auto mode = parse_choice<setting::TransferMode>("--mode", options["--mode"]);
  const auto communicator = make_self_communicator();
  SharedFits fits(*communicator);
  std::string accuracies, word;
  double seconds = 0;
  for (std::istringstream tasks(options["--tasks"]); std::getline(tasks, word, ',');) {
    const auto dataset = parse_choice<TransferDataset>("--tasks", word);
    const TransferLayout& layout = layout_of(dataset);
    const std::int64_t width = std::stoll(options["--width"]) * (layout.pairs ? 2 : 1);
    const auto classes = static_cast<std::int64_t>(layout.classes.size());
    const auto [train, development, test] = sizes.at(dataset);
    const TransferFeatures features{made_up(0, train, width, classes), made_up(train, development, width, classes),
                                    made_up(train + development, test, width, classes)};
    const auto begin = std::chrono::steady_clock::now();
    const TransferAccuracy accuracy = transfer_accuracy(features, layout, classifier_settings(mode, 1111), fits);
    const double of_task = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    seconds += of_task;
    accuracies += concat(accuracies.empty() ? "" : ", ", "\"", word, "\": [", accuracy.development, ", ",
                         accuracy.accuracy, ", ", of_task, "]");
  }
  std::printf(
      "{\"tasks\": \"%s\", \"mode\": \"%s\", \"width\": %s, \"threads\": %d, \"accuracies\": {%s}, "
      "\"seconds\": %.3f}\n",
      options["--tasks"].c_str(), options["--mode"].c_str(), options["--width"].c_str(), at::get_num_threads(),
      accuracies.c_str(), seconds);
  return 0;
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{
      {"--tasks", "MR,CR,SUBJ,MPQA,SST2,SST5,TREC,MRPC"}, {"--mode", "full"}, {"--width", "384"}, {"--threads", "0"}};
  for (int i = 1; i < argc; i += 2) {
    if (!options.count(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "benchmark_transfer: unknown option or missing value: %s\n", argv[i]);
      return 2;
    }
    options[argv[i]] = argv[i + 1];
  }
  return gausscse::run(options);
}
