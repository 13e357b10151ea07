#include <cstdint>
#include <string>

#include "demo/generator/generated_corpus.hpp"
#include "launcher/command.hpp"

namespace gausscse {

namespace {

struct GenerateArguments {
  std::string folder;
  GeneratedCorpusOptions options{.train_pairs = 30000, .dev_pairs = 3000, .test_pairs = 3000, .seed = 0};
};

int run_generate(const GenerateArguments& arguments, const CommonOptions&) {
  if (is_first_process()) write_generated_corpus(arguments.folder, arguments.options);
  return 0;
}

}  // namespace

void add_generate_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<GenerateArguments>(
      app, action, "generate", "write a generated NLI corpus in SNLI's layout: train.jsonl, dev.jsonl and test.jsonl",
      run_generate);
  command->add_option("DIR", arguments->folder, "folder to create")->required();
  command->add_option("--train", arguments->options.train_pairs, "number of pairs in train.jsonl")
      ->capture_default_str();
  command->add_option("--dev", arguments->options.dev_pairs, "number of pairs in dev.jsonl")->capture_default_str();
  command->add_option("--test", arguments->options.test_pairs, "number of pairs in test.jsonl")->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "seed of the corpus; the same seed gives the same corpus")
      ->capture_default_str();
}

}  // namespace gausscse
