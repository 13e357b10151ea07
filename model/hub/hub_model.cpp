#include "model/hub/hub_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/user_paths.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

struct KnownModel {
  std::string_view organization, name;
};

/// Models that people call by their names alone.
constexpr std::array known_models = {
    KnownModel{"google-bert", "bert-base-uncased"},
    KnownModel{"google-bert", "bert-base-cased"},
    KnownModel{"google-bert", "bert-large-uncased"},
    KnownModel{"google-bert", "bert-large-cased"},
    KnownModel{"google-bert", "bert-base-multilingual-uncased"},
    KnownModel{"google-bert", "bert-base-multilingual-cased"},
    KnownModel{"google-bert", "bert-base-chinese"},
    KnownModel{"google-bert", "bert-base-german-cased"},
    KnownModel{"FacebookAI", "roberta-base"},
    KnownModel{"FacebookAI", "roberta-large"},
    KnownModel{"FacebookAI", "xlm-roberta-base"},
    KnownModel{"FacebookAI", "xlm-roberta-large"},
    KnownModel{"answerdotai", "ModernBERT-base"},
    KnownModel{"answerdotai", "ModernBERT-large"},
    KnownModel{"distilbert", "distilbert-base-uncased"},
    KnownModel{"distilbert", "distilbert-base-cased"},
    KnownModel{"distilbert", "distilbert-base-multilingual-cased"},
    KnownModel{"distilbert", "distilroberta-base"},
    KnownModel{"microsoft", "mpnet-base"},
    KnownModel{"sentence-transformers", "all-MiniLM-L6-v2"},
    KnownModel{"sentence-transformers", "all-MiniLM-L12-v2"},
    KnownModel{"sentence-transformers", "all-mpnet-base-v2"},
    KnownModel{"sentence-transformers", "all-distilroberta-v1"},
    KnownModel{"intfloat", "multilingual-e5-base"},
    KnownModel{"intfloat", "e5-base-v2"},
    KnownModel{"BAAI", "bge-m3"},
    KnownModel{"BAAI", "bge-base-en-v1.5"},
    KnownModel{"thenlper", "gte-base"},
};

/// Folders in which people keep models and results, and no organizations.
constexpr std::array folders_of_models = {"model",  "models",  "checkpoint", "checkpoints", "run",     "runs",    "out",
                                          "output", "outputs", "results",    "data",        "encoder", "encoders"};

bool leads_somewhere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool may_be_a_name(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && is_plain(text.front()) && is_plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; });
}

/// Removes the slash that the path of a folder may end with.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

std::optional<std::string> hub_name_of(const fs::path& given) {
  const fs::path path = without_slash(given), parent = path.parent_path();
  const std::string name = path.filename().string(), organization = parent.filename().string();
  const auto known = std::find_if(known_models.begin(), known_models.end(),
                                  [&](const KnownModel& model) { return model.name == name; });
  if (known != known_models.end()) return concat(known->organization, "/", name);
  const fs::path above = parent.parent_path();
  if (!may_be_a_name(name) || !may_be_a_name(organization) || leads_somewhere(parent)) return std::nullopt;
  if (above == "/" || *path.begin() == "." || *path.begin() == ".." || (!above.empty() && !leads_somewhere(above)))
    return std::nullopt;
  if (std::find(folders_of_models.begin(), folders_of_models.end(), organization) != folders_of_models.end())
    return std::nullopt;
  return concat(organization, "/", name);
}

std::string hub_advice(const fs::path& given) {
  const fs::path path = without_slash(given);
  if (path.filename() == "minilm")
    return "; to download MiniLM there: scripts/fetch_minilm.sh " + shell_word(path.string());
  const std::optional<std::string> name = hub_name_of(path);
  if (!name) return "";
  // One pattern for .json, .safetensors and .txt: versions of hf differ in how they take several.
  return concat("; if ", quoted(*name), " of the Hugging Face hub is meant, download it there: hf download ", *name,
                " --include \"*.[jst]*\" --local-dir ", shell_word(path.string()));
}

}  // namespace gausscse
