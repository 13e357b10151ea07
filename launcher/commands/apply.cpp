#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "base/process.hpp"
#include "dist/group_work.hpp"
#include "inference/search/given_rows.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/embeddings_of_model.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/progress.hpp"
#include "model/folder/vector_head.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

namespace {

struct ApplyArguments {
  DeviceOptions device;
  std::string head, vectors, output;
  ExistingFile existing = ExistingFile::refuse;
};

/// Opens the head, or the model that has one, and returns the encoder that it is. Throws InputError for any other.
SentenceEncoder& open_with_head(const std::string& path, at::Device device, ControlGroup& ranks, SentenceModel& model) {
  const auto refuse = [&](const char* why) {
    throw InputError(concat(path, ": ", why, ": give the folder `model` of a run that trained a head"));
  };
  const std::filesystem::path folder = model_folder_of(path);
  if (std::filesystem::is_directory(folder) && other_than_model(folder).empty() && !is_saved_model(folder))
    refuse("this folder has no head, as no training of gausscse wrote it");
  model = open_logged_model({.path = path, .may_be_head = true}, device, ranks, false);
  SentenceEncoder* const encoder = encoder_of(*model.embedder);
  if (!encoder) refuse("word vectors have no head");
  if (encoder->settings().head.kind == HeadKind::none) refuse("the model has no head (model.head.kind is none)");
  return *encoder;
}

void apply(const ApplyArguments& arguments, at::Device device, ControlGroup& ranks, bool show_progress) {
  SentenceModel model;
  SentenceEncoder& encoder = open_with_head(arguments.head, device, ranks, model);
  const std::int64_t width = encoder.settings().encoder.hidden_size;
  const auto file = open_vectors(arguments.vectors);
  if (const std::string note = file->note(); !note.empty()) spdlog::info(note);
  if (file->width() != static_cast<std::uint64_t>(width))
    throw InputError(concat(arguments.vectors, ": the vectors have ", file->width(), " values, but ", arguments.head,
                            " is for vectors of ", width, ": give vectors of the encoder that it was trained on"));
  if (!encoder.settings().vectors)
    spdlog::info("{}: its head alone is applied, to vectors of its encoder with the pooling {}", arguments.head,
                 name_of(encoder.settings().pooling));
  EmbeddingsOfModel output(arguments.output, static_cast<std::int64_t>(file->rows()), arguments.head, model);
  EmbeddingProgress progress(show_progress, is_drawing_terminal(STDERR_FILENO), file->rows(), StatusLine::Clock::now,
                             "rows");
  for (std::uint64_t done = 0; done < file->rows();) {
    const at::Tensor vectors = read_vectors(*file, arguments.vectors, done);
    output.append(apply_head(encoder, vectors));
    progress.on_block(done += static_cast<std::uint64_t>(vectors.size(0)));
  }
  output.commit(0);
  spdlog::info("{} vectors, {} dimensions: {}", file->rows(), output.dimension(), arguments.output);
}

int run_apply(const ApplyArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  run_on_root(communicator, [&] {
    const std::vector<InputPath> inputs{{"HEAD", arguments.head}, {"VECTORS", arguments.vectors}};
    check_output_file("OUT", arguments.output, inputs, arguments.existing);
    embeddings_format(arguments.output);
  });
  keep_piped_inputs(std::vector<std::filesystem::path>{arguments.vectors}, communicator);
  const ComputeDevice device = process.choose_device(arguments.device.request());
  run_on_root(communicator, [&] { apply(arguments, device.device, communicator, !common.quiet); });
  return 0;
}

}  // namespace

void add_apply_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<ApplyArguments>(
      app, action, "apply",
      "apply a trained head to a file of sentence vectors, of any encoder or service, and write embeddings as encode "
      "does",
      run_apply);
  command
      ->add_option(
          "HEAD", arguments->head,
          "folder `model` of a finished run: of one that trained on vectors, or any other, whose head alone is "
          "applied to vectors of its encoder")
      ->required();
  command
      ->add_option("VECTORS", arguments->vectors,
                   "float32 [sentences, dimensions]: .npy, or HDF5, .npz or .safetensors with one matrix `embedding`, "
                   "or a Parquet column of lists; "
                   "-: standard input")
      ->required();
  command
      ->add_option(
          "OUT", arguments->output,
          "HDF5 (.h5, .hdf5), .npz, .safetensors or .parquet: float32 [sentences, dimension] mean and log_var, "
          "or embedding if the head is not Gaussian; .npy: embedding only")
      ->required();
  add_device_options(*command, arguments->device);
  add_overwrite_option(*command, arguments->existing, "OUT");
}

}  // namespace gausscse
