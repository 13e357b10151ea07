#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "launcher/command.hpp"
#include "launcher/json_option.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/saved_model_text.hpp"
#include "launcher/standard_output.hpp"
#include "model/folder/vector_head.hpp"
#include "model/hub/given_folder.hpp"
#include "results/hdf5_seal.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "results/result_text.hpp"
#include "training/checkpoint/checkpoint_file.hpp"
#include "training/checkpoint/checkpoint_text.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

struct ShowArguments {
  std::string path, json;
  ExistingFile existing = ExistingFile::refuse;
};

std::string head(const char* what, const fs::path& path) {
  return concat(what, " ", path.string(), "\n");
}

std::string beginning_of(const fs::path& path) {
  constexpr std::size_t looked_at = std::size_t{16} << 10;
  const OpenFile file = open_regular_file(path);
  std::string begin(looked_at, '\0');
  begin.resize(read_some(file, begin.data(), begin.size(), path));
  return begin;
}

/// Refuses embeddings by their kind: names of datasets stand near the beginning of a file of `encode`. HDF5 is not
/// asked, as it is not safe with files that are damaged.
void refuse_embeddings(std::string_view begin, const fs::path& path) {
  const auto has = [&](std::string_view name) {
    return begin.find(concat('\0', name, '\0')) != std::string_view::npos;
  };
  if (has("configuration")) return;  // a result
  const char* datasets = has("mean") && has("log_var") ? "mean and log_var" : has("embedding") ? "embedding" : nullptr;
  if (datasets)
    throw InputError(concat(path.string(), ": this is a file of embeddings, as `encode` writes it (", datasets,
                            "), no result of a run: read it with h5py, or give RESULT.h5, MODEL_DIR or CHECKPOINT"));
}

/// Text that is shown to people, and JSON for programs.
struct Shown {
  std::string text, json;
};

Shown show_model(const fs::path& folder) {
  if (!is_saved_model(folder))
    throw InputError(
        concat(folder.string(), ": this folder is no saved model (it has no ", model_properties_file,
               "): ", "give the folder `model` or the file result.h5 of a run, or one file of its `checkpoints`"));
  const SavedModel model = is_vector_head(folder) ? open_vector_head(folder) : open_model(folder, std::nullopt);
  return {head("saved model", folder) + saved_model_text(model), saved_model_json(model)};
}

Shown show(const fs::path& path, CurveStyle style, const ResultCheck& check) {
  if (fs::is_directory(path)) return show_model(model_folder_of(path));
  const std::string begin = beginning_of(path);
  if (const Hdf5Seal seal = seal_of(begin); seal != Hdf5Seal::no_hdf5) {
    if (seal == Hdf5Seal::absent) refuse_embeddings(begin, path);
    if (const std::string warning = check(path); !warning.empty()) print_warning(warning);
    const RunResult result = read_result(path);
    return {head("result of a run", path) + result_text(result, style), json_report(result)};
  }
  if (path.extension() != ".safetensors") {
    refuse_other_file(begin, path.string());
    throw InputError(concat(path.string(), ": this is neither a result file (HDF5) nor a checkpoint (.safetensors): ",
                            "give RESULT.h5, MODEL_DIR or CHECKPOINT"));
  }
  const TrainingState state = read_checkpoint(path);
  return {head("checkpoint", path) + checkpoint_text(state, style), checkpoint_json(state)};
}

int run_show(const ShowArguments& arguments, const ResultCheck& check) {
  if (!is_first_process()) return 0;
  const CurveStyle style = isatty(STDOUT_FILENO) ? CurveStyle::sparkline : CurveStyle::plain;
  check_report_file(arguments.json, std::vector<InputPath>{{"PATH", arguments.path}}, arguments.existing);
  const Shown shown = show(arguments.path, style, check);
  print_with_report(shown.text, shown.json, arguments.json);
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, Action& action, const ResultCheck& check) {
  const auto [command, arguments] = add_command<ShowArguments>(
      app, action, "show", "print a result file with the backbone's metrics, a saved model or a checkpoint",
      [check](const ShowArguments& of_command, const CommonOptions&) { return run_show(of_command, check); });
  command->add_option("PATH", arguments->path, "RESULT.h5, MODEL_DIR or CHECKPOINT")->required();
  add_json_option(*command, arguments->json, "the content");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
