#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "dist/agreement.hpp"
#include "dist/root_work.hpp"
#include "experiments/evaluation/geometry/geometry_report.hpp"
#include "experiments/evaluation/geometry/sentences_of_file.hpp"
#include "experiments/results/json_report.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/encoder_folder.hpp"
#include "launcher/reading_notes.hpp"
#include "launcher/saved_model.hpp"

namespace gausscse {

namespace {

struct GeometryArguments {
  std::string model, input, json;
  std::string precision = "fp32";
  GeometrySettings settings;
};

std::string agreement_of(const GeometryArguments& arguments, const EncoderWithTokenizer& opened) {
  const GeometrySettings& settings = arguments.settings;
  return concat(agreement_text(arguments.model, opened), "FILE ", content_hash(arguments.input), "\npads ",
                settings.pads, "\nsamples ", settings.samples, "\ndraws ", settings.draws, "\nseed ", settings.seed,
                "\n");
}

int run_geometry(const GeometryArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  if (!arguments.json.empty())
    run_on_root(communicator, [&] {
      const std::vector<InputPath> inputs{{"MODEL", arguments.model}, {"FILE", arguments.input}};
      check_report_file("--json", arguments.json, inputs);
    });
  const EncoderWithTokenizer opened =
      open_encoder_folder(arguments.model, parse_choice<Precision>("--precision", arguments.precision));
  check_agreement(communicator, model_and_inputs, agreement_of(arguments, opened));
  const EncoderConfig& config = opened.encoder->settings().encoder;
  const TokenStore store = TokenStore::from_sentences(read_sentences(arguments.input), *opened.tokenizer,
                                                      config.max_tokens(), process.threads());
  tell_cut_sentences(arguments.input, store.cut_sentences(), static_cast<std::int64_t>(config.max_tokens()));
  const TokenGeometry geometry = measure_token_geometry(
      *opened.encoder, store, static_cast<std::uint32_t>(config.pad_token_id), arguments.settings, communicator);
  if (!communicator.is_root()) return 0;
  std::fputs(geometry_table(geometry).c_str(), stdout);
  if (!arguments.json.empty()) write_file_atomically(arguments.json, geometry_json(geometry));
  return 0;
}

}  // namespace

void add_geometry_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GeometryArguments>();
  CLI::App* command = app.add_subcommand(
      "geometry",
      "measure how a model's token states lie, layer by layer: anisotropy, similarities, norms, rogue "
      "dimensions; under mpirun on all ranks");
  command->add_option("MODEL", arguments->model, "a Hugging Face folder, or folder `model` of a finished run")
      ->required();
  command
      ->add_option("FILE", arguments->input,
                   "text file, one sentence a line, or a file of the STS benchmark, of which sentence1 is taken")
      ->required();
  command->add_flag("--pads", arguments->settings.pads,
                    "count padding as a token id of its own, as the released notebook does");
  command
      ->add_option("--samples", arguments->settings.samples, "sentences that a sampled figure takes a token each from")
      ->capture_default_str()
      ->check(CLI::Range(2, 100000));
  command->add_option("--draws", arguments->settings.draws, "samples that informativity is averaged over")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  command->add_option("--seed", arguments->settings.seed, "of the samples")->capture_default_str();
  command->add_option("--precision", arguments->precision, "of matrix products")
      ->capture_default_str()
      ->check(CLI::IsMember(words_of<Precision>()));
  command->add_option("--json", arguments->json, "write the figures to this file, too");
  command->callback([arguments, &action] {
    action = [arguments](const CommonOptions& common) { return run_geometry(*arguments, common); };
  });
}

}  // namespace gausscse
