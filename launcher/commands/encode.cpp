#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "experiments/evaluation/embed_sentences.hpp"
#include "experiments/results/embeddings_file.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/process.hpp"
#include "launcher/saved_model_options.hpp"
#include "launcher/sentence_file.hpp"

namespace gausscse {

namespace {

struct EncodeArguments {
  SavedModelOptions model;
  std::string input, output;
};

int run_encode(const EncodeArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  start_log(process.communicator(), common.verbosity());
  const SavedModelWithTokenizer model = open_saved_model(arguments.model);
  const std::vector<std::string> sentences = read_sentences(arguments.input);
  const TokenStore store = TokenStore::from_sentences(
      sentences, *model.tokenizer, static_cast<std::size_t>(model.properties.max_tokens), process.threads());
  if (store.cut_sentences() > 0)
    spdlog::warn("{} sentences have more than {} tokens and are cut", store.cut_sentences(),
                 model.properties.max_tokens);
  const at::Tensor embeddings = embed_sentences(*model.encoder, store, process.communicator());
  if (!process.communicator().is_root()) return 0;
  const std::int64_t dimension = model.encoder->dimension();
  const at::Tensor mean = embeddings.narrow(1, 0, dimension).contiguous();
  const at::Tensor log_var = embeddings.narrow(1, dimension, dimension).contiguous();
  const auto count = static_cast<std::size_t>(mean.numel());
  write_embeddings(arguments.output, {mean.const_data_ptr<float>(), count}, {log_var.const_data_ptr<float>(), count},
                   mean.size(0), dimension);
  spdlog::info("{} sentences, {} dimensions: {}", mean.size(0), dimension, arguments.output);
  return 0;
}

}  // namespace

void add_encode_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<EncodeArguments>();
  CLI::App* command = app.add_subcommand("encode", "write mean and log-variance of each line's sentence to HDF5");
  add_saved_model_options(*command, arguments->model);
  command->add_option("IN", arguments->input, "text file, one sentence a line")->required();
  command->add_option("OUT", arguments->output, "HDF5 file: /mean and /log_var, float32 [sentences, dimension]")
      ->required();
  command->callback([arguments, &action] {
    action = [arguments](const CommonOptions& common) { return run_encode(*arguments, common); };
  });
}

}  // namespace gausscse
