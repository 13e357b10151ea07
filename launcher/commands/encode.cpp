#include <spdlog/spdlog.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "base/text.hpp"
#include "dist/group_work.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/embeddings_of_model.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/overwrite_option.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

namespace {

struct EncodeArguments {
  SentenceModelOptions model;
  DeviceOptions device;
  std::string input, output;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;
  bool append = false;
};

/// Looks at OUT before any work. Throws InputError.
void check_output(const EncodeArguments& arguments) {
  const std::vector<InputPath> inputs{{"MODEL", arguments.model.path}, {"IN", arguments.input}};
  const std::string suffix = std::filesystem::path(arguments.output).extension().string();
  const bool can_append = suffix != ".npy" && suffix != ".parquet";
  check_output_file("OUT", arguments.output, inputs, arguments.append ? ExistingFile::replace : arguments.existing,
                    can_append ? "--append to add rows to it" : "");
  const EmbeddingsFormat format = embeddings_format(arguments.output);
  if (!arguments.append) return;
  if (!std::filesystem::exists(arguments.output))
    throw InputError(concat("--append: ", arguments.output, " is not there: leave out --append to begin it"));
  if (!can_append)
    throw InputError(concat(
        "--append: ", arguments.output, ": a ", format == EmbeddingsFormat::npy ? ".npy" : ".parquet",
        format == EmbeddingsFormat::npy ? " file does not record what made it" : " file cannot be read by gausscse",
        ": encode its sentences to .h5, .hdf5, .npz or .safetensors, and append to that"));
}

int run_encode(const EncodeArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  run_on_root(communicator, [&] { check_output(arguments); });
  keep_piped_inputs(std::vector<std::filesystem::path>{arguments.input}, communicator);
  const ComputeDevice device = process.choose_device(arguments.device.request());
  LongOperation reading(communicator);
  SentenceModel model = open_logged_model(arguments.model, device.device, communicator, !common.quiet);
  SentenceFile file(arguments.input, {.bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                                      .trim = model.properties.trim});
  reading.end();
  check_agreement(communicator, model_and_inputs,
                  concat(model.agreement(), "IN ", file.content_hash(), "\nbad lines ",
                         arguments.skip_bad_lines ? "skipped" : "refused", "\n"));
  warn_of_different_instructions(process.provenance(), encoder_of(*model.embedder));

  std::optional<EmbeddingsOfModel> output;
  if (communicator.is_root()) {
    const LongOperation writing(communicator);
    output.emplace(arguments.output, static_cast<std::int64_t>(file.lines()), arguments.model.path, model,
                   arguments.append ? ExistingRows::kept : ExistingRows::replaced);
    if (!output->note().empty()) spdlog::info(output->note());
    if (!output->warning().empty()) spdlog::warn(output->warning());
  }
  const auto append = [&](const at::Tensor& embeddings) { output->append(embeddings); };
  const TokenCounts counts = embed_logged_file(arguments.input, file, model, process, !common.quiet, append);
  if (!communicator.is_root()) return 0;
  output->commit(static_cast<std::int64_t>(counts.cut));
  if (arguments.append)
    spdlog::info("{} appended to {}", counted(static_cast<std::int64_t>(file.lines()), "sentence"),
                 output->existing_rows());
  spdlog::info("{}, {} dimensions: {}",
               counted(static_cast<std::int64_t>(file.lines()) + output->existing_rows(), "sentence"),
               output->dimension(), arguments.output);
  return 0;
}

}  // namespace

void add_encode_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command<EncodeArguments>(app, action, "encode",
                                   "write the embedding of each line to HDF5, .npz, safetensors, Parquet or .npy; "
                                   "a Gaussian model gives a mean and a log-variance",
                                   with_skip_advice(run_encode));
  add_model_options(*command, arguments->model);
  add_prompt_options(*command, arguments->model.prompt);
  add_device_options(*command, arguments->device);
  command
      ->add_option("IN", arguments->input,
                   "text file, one sentence per line; an empty line is an empty sentence; -: standard input")
      ->required();
  command
      ->add_option(
          "OUT", arguments->output,
          "HDF5 (.h5, .hdf5), .npz, .safetensors or .parquet: float32 [sentences, dimension] mean and log_var, or "
          "embedding if the model is not Gaussian; .npy: embedding only")
      ->required();
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines,
                    "skip lines that are not UTF-8 instead of stopping; they get no row");
  CLI::Option* const overwrite = add_overwrite_option(*command, arguments->existing, "OUT");
  command
      ->add_flag("--append", arguments->append,
                 "add the rows behind those of OUT, which this model must have made with the same settings: .h5, "
                 ".hdf5, .npz or .safetensors")
      ->excludes(overwrite);
}

}  // namespace gausscse
