#include <spdlog/spdlog.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "base/temporary_name.hpp"
#include "dist/group_work.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/encoded_rows.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/model_in_use.hpp"
#include "launcher/version.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

namespace {

struct EncodeArguments {
  SentenceModelOptions model;
  DeviceOptions device;
  std::string input, output;
  bool skip_bad_lines = false;
  bool overwrite = false;
  bool append = false;
};

/// Returns the precision of its matmuls; word vectors are added in float32.
Precision precision_of(SentenceEmbedder& embedder) {
  const SentenceEncoder* encoder = encoder_of(embedder);
  return encoder ? encoder->settings().precision : Precision::full;
}

/// Returns the pooling of token states; word vectors are averaged.
PoolingKind pooling_of(SentenceEmbedder& embedder) {
  const SentenceEncoder* encoder = encoder_of(embedder);
  return encoder ? encoder->settings().pooling : PoolingKind::mean;
}

std::string max_tokens_text(const SentenceModel& model) {
  return model.max_tokens == no_limit_of_tokens ? "none" : std::to_string(model.max_tokens);
}

/// Returns what the file says about its embeddings.
EmbeddingsAttributes attributes_of(const std::string& path, const SentenceModel& model) {
  return {.texts = {{"format", "gausscse-embeddings/1"},
                    {"model", path},
                    {"model_hash", content_hash_of(model.agreement())},
                    {"similarity", std::string(name_of(model.properties.similarity))},
                    {"precision", std::string(name_of(precision_of(*model.embedder)))},
                    {"pooling", std::string(name_of(pooling_of(*model.embedder)))},
                    {"max_tokens", max_tokens_text(model)},
                    {"version", version()}},
          .counts = {{"cut_sentences", 0}}};
}

std::span<const float> values_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// Looks at OUT before any work. Throws InputError.
void check_output(const EncodeArguments& arguments) {
  const std::vector<InputPath> inputs{{"MODEL", arguments.model.path}, {"IN", arguments.input}};
  check_output_file("OUT", arguments.output, inputs,
                    arguments.overwrite || arguments.append ? ExistingFile::replace : ExistingFile::refuse);
  const EmbeddingsFormat format = embeddings_format(arguments.output);
  if (!arguments.append) return;
  if (!std::filesystem::exists(arguments.output))
    throw InputError(concat("--append: ", arguments.output, " is not there: leave out --append to begin it"));
  if (format == EmbeddingsFormat::npy || format == EmbeddingsFormat::parquet)
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
  SlowWork reading(communicator);
  SentenceModel model = open_logged_model(arguments.model, device.device, communicator, !common.quiet);
  SentenceFile file(arguments.input, {.bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                                      .trim = model.properties.trim});
  reading.end();
  check_agreement(communicator, model_and_inputs,
                  concat(model.agreement(), "IN ", file.content_hash(), "\nbad lines ",
                         arguments.skip_bad_lines ? "skipped" : "refused", "\n"));
  warn_of_different_instructions(process.provenance(), encoder_of(*model.embedder));

  const std::vector<std::string> datasets = is_gaussian(model.properties.similarity)
                                                ? std::vector<std::string>{"mean", "log_var"}
                                                : std::vector<std::string>{"embedding"};
  const std::int64_t dimension = model.embedder->width() / static_cast<std::int64_t>(datasets.size());
  const auto lines = static_cast<std::int64_t>(file.lines());
  std::optional<EncodedRows> earlier;
  std::optional<EmbeddingsWriter> writer;
  run_on_root(communicator, [&] {
    const EmbeddingsAttributes attributes = attributes_of(arguments.model.path, model);
    if (arguments.append) earlier.emplace(arguments.output, datasets, dimension, attributes);
    remove_abandoned_siblings(arguments.output);
    writer.emplace(arguments.output, datasets, lines + (earlier ? earlier->rows() : 0), dimension, attributes);
    if (!earlier) return;
    if (!earlier->warning().empty()) spdlog::warn(earlier->warning());
    earlier->copy_to(*writer);
  });
  const auto append = [&](const at::Tensor& embeddings) {
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < datasets.size(); ++i)
      parts.push_back(embeddings.narrow(1, static_cast<std::int64_t>(i) * dimension, dimension).contiguous());
    std::vector<std::span<const float>> rows;
    for (const at::Tensor& part : parts) rows.push_back(values_of(part));
    writer->append(rows);
  };
  const TokenCounts counts = embed_logged_file(arguments.input, file, model, process, !common.quiet, append);
  if (!communicator.is_root()) return 0;
  writer->set_count("cut_sentences", static_cast<std::int64_t>(counts.cut) + (earlier ? earlier->cut_sentences() : 0));
  writer->commit();
  if (earlier) spdlog::info("{} sentences are appended to {}", lines, earlier->rows());
  spdlog::info("{} sentences, {} dimensions: {}", lines + (earlier ? earlier->rows() : 0), dimension, arguments.output);
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
  CLI::Option* const overwrite = command->add_flag("--overwrite", arguments->overwrite, "replace OUT if it exists");
  command
      ->add_flag("--append", arguments->append,
                 "add the rows behind those of OUT, which this model must have made with the same settings: .h5, "
                 ".hdf5, .npz or .safetensors")
      ->excludes(overwrite);
}

}  // namespace gausscse
