#include <cstdio>
#include <memory>
#include <string>

#include "experiments/evaluation/embed_sentences.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/process.hpp"
#include "launcher/saved_model_options.hpp"
#include "launcher/sentence_file.hpp"

namespace gausscse {

namespace {

struct ScoreArguments {
  SavedModelOptions model;
  std::string pairs;
};

/// The direction with the larger similarity, if that reaches the threshold.
const char* verdict(float forward, float backward, double threshold) {
  if (static_cast<double>(std::max(forward, backward)) < threshold) return "no entailment";
  return forward > backward ? "first entails second" : backward > forward ? "second entails first" : "both";
}

at::Tensor embed(const std::vector<std::string>& sentences, const SavedModelWithTokenizer& model, Process& process) {
  const TokenStore store = TokenStore::from_sentences(
      sentences, *model.tokenizer, static_cast<std::size_t>(model.properties.max_tokens), process.threads());
  return embed_sentences(*model.encoder, store, process.communicator());
}

int run_score(const ScoreArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  start_log(process.communicator(), common.verbosity());
  const SavedModelWithTokenizer model = open_saved_model(arguments.model);
  const SentencePairs pairs = read_sentence_pairs(arguments.pairs);
  const at::Tensor premise = embed(pairs.premises, model, process);
  const at::Tensor hypothesis = embed(pairs.hypotheses, model, process);
  if (!process.communicator().is_root()) return 0;
  const at::Tensor forward = pairwise_similarity(hypothesis, premise, model.properties.similarity);
  const at::Tensor backward = pairwise_similarity(premise, hypothesis, model.properties.similarity);
  for (std::int64_t i = 0; i < forward.numel(); ++i) {
    const float there = forward.const_data_ptr<float>()[i], back = backward.const_data_ptr<float>()[i];
    std::printf("%.6f\t%.6f\t%s\n", static_cast<double>(there), static_cast<double>(back),
                verdict(there, back, model.properties.threshold));
  }
  return 0;
}

}  // namespace

void add_score_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ScoreArguments>();
  CLI::App* command =
      app.add_subcommand("score", "print, for each pair, sim(second || first), sim(first || second) and the verdict");
  add_saved_model_options(*command, arguments->model);
  command->add_option("PAIRS", arguments->pairs, "two sentences a line, separated by a tab")->required();
  command->callback([arguments, &action] {
    action = [arguments](const CommonOptions& common) { return run_score(*arguments, common); };
  });
}

}  // namespace gausscse
