#include "model/hub/given_folder.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "base/file_kind.hpp"
#include "model/hub/hub_model.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Names of datasets stand near the beginning of an HDF5 file.
constexpr std::size_t looked_at = std::size_t{16} << 10;

/// Texts of a Hugging Face folder that are no JSON.
constexpr std::array model_texts{"vocab.txt", "merges.txt", "README.md"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

using file_calls::folder_of;

std::string beginning_of(const fs::path& path) {
  const OpenFile file = open_regular_file(path);
  std::string begin(looked_at, '\0');
  begin.resize(read_some(file, begin.data(), begin.size(), path));
  return begin;
}

bool is_model_folder(const fs::path& folder) {
  return is_there(folder / "config.json") || is_there(folder / "modules.json");
}

std::string text_of_vector_head(const fs::path& folder) {
  return concat("this is a head for vectors, without an encoder: gausscse apply ", folder.string(),
                " VECTORS OUT, then search or similarity on OUT");
}

std::string give_model_of(const fs::path& run) {
  if (!is_model_folder(run / "model") && !is_vector_head(run / "model"))
    return ": give the folder `model` of a finished run";
  return concat(": give ", run.string(), " or ", (run / "model").string());
}

bool has_dataset(std::string_view begin, std::string_view name) {
  return begin.find(concat('\0', name, '\0')) != std::string_view::npos;
}

std::string text_of_hdf5(const fs::path& path, std::string_view begin) {
  if (path.filename() == "index.h5") return "this is the index of a study: give the folder of one of its trials";
  if (path.filename() == "result.h5" || has_dataset(begin, "configuration"))
    return "this is a result of a run" + give_model_of(folder_of(path));
  if (has_dataset(begin, "log_var") || has_dataset(begin, "embedding"))
    return "this is a file of embeddings, as `encode` writes it: give the model that made them";
  return "this is an HDF5 file: give the folder of a model";
}

std::string text_of_safetensors(const fs::path& path) {
  const fs::path folder = folder_of(path);
  if (folder.filename() == "checkpoints" || path.filename().string().starts_with("step-"))
    return "this is a checkpoint of a training" + give_model_of(folder_of(folder));
  return "this is a file of safetensors: give the folder with it and its config.json";
}

/// Returns true for `{"key":` and for `[{` or `["`, with white space between them: no line of word vectors begins so.
bool begins_as_json(std::string_view text) {
  const auto skip = [&] { text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n"))); };
  skip();
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    skip();
    return text.starts_with('{') || text.starts_with('"');
  }
  if (!text.starts_with('{')) return false;
  text.remove_prefix(1);
  skip();
  if (!text.starts_with('"')) return false;
  text.remove_prefix(std::min(text.size(), text.find('"', 1) + 1));
  skip();
  return text.starts_with(':');
}

std::string text_of_file(const fs::path& path) {
  const std::string begin = beginning_of(path);
  const FileKind* kind = find_file_kind(begin);
  const bool is_json = path.extension() == ".json" || begins_as_json(begin);
  const bool is_text_of_model =
      std::find(model_texts.begin(), model_texts.end(), path.filename().string()) != model_texts.end();
  const bool is_weights = kind && kind->name == safetensors_kind;
  if ((is_json || is_text_of_model || is_weights) && is_model_folder(folder_of(path)))
    return concat("this is a file of a model folder: give the folder, ", folder_of(path).string());
  if (is_weights) return text_of_safetensors(path);
  if (kind && kind->name == hdf5_kind) return text_of_hdf5(path, begin);
  if (kind && !kind->may_be_text) return concat("this is ", kind->name, ": ", kind->remedy);
  if (is_json) return "this is JSON: give the folder of a model, or a text file of word vectors";
  const fs::path extension = path.extension();
  if (extension == ".yaml" || extension == ".yml")
    return "this is a file of settings (YAML): give the folder `model` that its training wrote";
  return {};
}

std::string text_of_folder(const fs::path& folder) {
  if (is_model_folder(folder) || is_model_folder(folder / "model")) return {};
  if (is_vector_head(folder)) return text_of_vector_head(folder);
  if (is_vector_head(folder / "model")) return text_of_vector_head(folder / "model");
  if (is_there(folder / "plan.json") && is_there(folder / "manifest.yaml"))
    return concat("this is the results folder of a study: give the folder of one of its trials, ",
                  (folder / "trials" / "IDENTITY").string());
  if (folder.filename() == "checkpoints") return "this is a folder of checkpoints" + give_model_of(folder_of(folder));
  if (is_there(folder / "checkpoints") || is_there(folder / "result.h5"))
    return "this is the folder of a run without its folder `model`: run the trial to its end";
  // The cache of the hub has its snapshots by the names of commits.
  std::error_code ignored;
  if (const fs::directory_iterator snapshots(folder / "snapshots", ignored);
      !ignored && snapshots != fs::end(snapshots))
    return concat("this is a folder of the Hugging Face hub's cache: give a snapshot in it, ",
                  snapshots->path().string());
  return {};
}

}  // namespace

bool is_vector_head(const fs::path& folder) {
  std::error_code ignored;
  if (is_model_folder(folder) || !fs::is_regular_file(folder / model_properties_file, ignored)) return false;
  return beginning_of(folder / model_properties_file).find("\"backbone\":\"vectors\"") != std::string::npos;
}

fs::path model_folder_of(const fs::path& folder) {
  if (folder.empty()) return folder;
  std::error_code ignored;
  for (const char* of_model : {"config.json", "modules.json"})
    if (fs::exists(folder / of_model, ignored)) return folder;
  if (is_vector_head(folder)) return folder;
  const bool has_model = fs::exists(folder / "model" / "config.json", ignored) || is_vector_head(folder / "model");
  return has_model ? folder / "model" : folder;
}

void check_model_folder(const fs::path& folder) {
  if (const std::string other = other_than_model(folder); !other.empty())
    throw InputError(concat(folder.string(), ": ", other));
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status)) return;
  if (fs::exists(status))
    throw InputError(concat(folder.string(), " is a file where a model folder is needed: give the folder it is in"));
  if (const std::string lost = lost_pipe_text(folder); !lost.empty())
    throw InputError(concat(folder.string(), ": no such folder: ", lost));
  throw InputError(concat(folder.string(), ": no such folder: give the folder of a model", hub_advice(folder)));
}

std::string other_than_model(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return text_of_folder(path.has_filename() ? path : path.parent_path());
  return fs::is_regular_file(status) ? text_of_file(path) : "";
}

}  // namespace gausscse
