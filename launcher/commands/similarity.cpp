#include <spdlog/spdlog.h>
#include <unistd.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "base/process.hpp"
#include "base/temporary_name.hpp"
#include "dist/group_work.hpp"
#include "inference/search/similarity_matrix.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/loaded_rows.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/progress.hpp"
#include "launcher/version.hpp"
#include "results/matrix_file.hpp"

namespace gausscse {

namespace {

struct SimilarityArguments {
  SentenceModelOptions model;
  DeviceOptions device;
  std::string a, b, output;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;
};

/// Returns the description of the matrix in its file.
EmbeddingsAttributes attributes_of_matrix(const SimilarityArguments& arguments, const SentenceModel& model) {
  return {.texts = {{"format", "gausscse-similarities/1"},
                    {"content", "row i, column j is sim(A_i || B_j)"},
                    {"A", arguments.a},
                    {"B", arguments.b},
                    {"model", arguments.model.path},
                    {"model_hash", model.hash()},
                    {"similarity", std::string(name_of(model.properties.similarity))},
                    {"version", version()}},
          .counts = {}};
}

int run_similarity(const SimilarityArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  run_on_root(communicator, [&] {
    const std::vector<InputPath> inputs{{"MODEL", arguments.model.path}, {"A", arguments.a}, {"B", arguments.b}};
    check_output_file("OUT", arguments.output, inputs, arguments.existing);
    matrix_format(arguments.output);
  });
  keep_piped_inputs(std::vector<std::filesystem::path>{arguments.a, arguments.b}, communicator);
  const ComputeDevice device = process.choose_device(arguments.device.request());
  LongOperation reading(communicator);
  SentenceModel model = open_logged_model(arguments.model, device.device, communicator, !common.quiet);
  const SentenceFileSettings settings{.bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                                      .trim = model.properties.trim};
  RowsFile a(arguments.a, model, settings), b(arguments.b, model, settings);
  const std::string hashes = concat("A ", a.content_hash(), "\nB ", b.content_hash(), "\n");
  reading.end();
  check_agreement(
      communicator, model_and_inputs,
      concat(model.agreement(), hashes, "bad lines ", arguments.skip_bad_lines ? "skipped" : "refused", "\n"));
  warn_of_different_instructions(process.provenance(), encoder_of(*model.embedder));

  std::optional<MatrixWriter> writer;
  if (communicator.is_root()) {
    const LongOperation writing(communicator);
    remove_abandoned_siblings(arguments.output);
    writer.emplace(arguments.output, "similarity", static_cast<std::int64_t>(a.rows()),
                   static_cast<std::int64_t>(b.rows()), attributes_of_matrix(arguments, model));
  }
  for (const RowsFile* file : {&a, &b}) log_notes_on(*file);
  EmbeddingProgress progress(!common.quiet && communicator.is_root(), is_drawing_terminal(STDERR_FILENO), a.rows(),
                             StatusLine::Clock::now, "rows");
  const Notes notes = compute_similarity_matrix(
      a, b, model, communicator, process.threads(), [&](std::uint64_t rows_done) { progress.on_block(rows_done); },
      [&](const MatrixTile& tile) {
        writer->write(static_cast<std::int64_t>(tile.row), static_cast<std::int64_t>(tile.column), tile.values.size(0),
                      tile.values.size(1),
                      {tile.values.const_data_ptr<float>(), static_cast<std::size_t>(tile.values.numel())});
      });
  log_notes(notes);
  if (!communicator.is_root()) return 0;
  writer->commit();
  spdlog::info("{} x {} similarities: {}", a.rows(), b.rows(), arguments.output);
  return 0;
}

}  // namespace

void add_similarity_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<SimilarityArguments>(
      app, action, "similarity",
      "write the matrix of similarities: row i, column j is sim(A_i || B_j), large where B_j entails A_i",
      with_skip_advice(run_similarity));
  add_model_options(*command, arguments->model);
  add_prompt_options(*command, arguments->model.prompt);
  arguments->model.may_be_head = true;
  add_device_options(*command, arguments->device);
  command
      ->add_option("A", arguments->a,
                   "sentences of the rows: text file, one per line, or a file that encode wrote with this model; -: "
                   "standard input")
      ->required();
  command->add_option("B", arguments->b, "sentences of the columns, likewise")->required();
  command
      ->add_option("OUT", arguments->output,
                   "HDF5 (.h5, .hdf5): float32 [sentences of A, sentences of B] similarity, with attributes; .npy: the "
                   "matrix alone")
      ->required();
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines,
                    "skip lines that are not UTF-8 instead of stopping; they get no row or column");
  add_overwrite_option(*command, arguments->existing, "OUT");
}

}  // namespace gausscse
