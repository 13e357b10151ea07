#include "model/folder/model_folder_reader.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/folder_mark.hpp"
#include "base/option_name.hpp"
#include "base/strict_json.hpp"
#include "model/folder/model_folder.hpp"
#include "model/hub/given_folder.hpp"
#include "model/hub/model_folder_keys.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr const char* modules_file = "modules.json";

/// The key that is true in a pooling module's config.json.
constexpr std::pair<PoolingKind, const char*> module_keys[] = {{PoolingKind::first_token, "pooling_mode_cls_token"},
                                                               {PoolingKind::mean, "pooling_mode_mean_tokens"},
                                                               {PoolingKind::max, "pooling_mode_max_tokens"}};
/// The words of its newer form.
constexpr std::pair<PoolingKind, const char*> module_words[] = {
    {PoolingKind::first_token, "cls"}, {PoolingKind::mean, "mean"}, {PoolingKind::max, "max"}};

struct Module {
  std::string type, path;
  bool has_usual_arguments = true;
};

/// Returns "Pooling" of "sentence_transformers.models.Pooling"; the whole type where it is not sentence-transformers'
/// own.
std::string class_of(const std::string& type) {
  return type.starts_with("sentence_transformers.") ? type.substr(type.rfind('.') + 1) : type;
}

std::vector<Module> read_modules(const fs::path& file) {
  const JsonDocument document = read_strict_json(file);
  const nlohmann::json& modules = document;
  std::vector<Module> read;
  if (modules.is_array()) {
    for (const nlohmann::json& module : modules) {
      const auto type = module.find("type"), path = module.find("path");
      if (!module.is_object() || type == module.end() || !type->is_string() || path == module.end() ||
          !path->is_string())
        break;
      const auto arguments = module.find("kwargs");
      read.push_back({type->get<std::string>(), path->get<std::string>(),
                      arguments == module.end() || is_empty_value(*arguments)});
    }
  }
  if (read.empty() || read.size() != modules.size())
    throw InputError(concat(file.string(), ": is not a list of modules, each with the texts \"type\" and \"path\""));
  return read;
}

/// Reader of a folder of modules, which collects the modules that this program does not compute, in one message for
/// each.
class FolderReader {
 public:
  FolderReader(fs::path folder, FolderPart part) : folder_(std::move(folder)), part_(part) {
    read_.encoder = folder_;
    is_own_ = fs::exists(folder_ / model_properties_file);
  }

  ModelFolder read() {
    if (exists(folder_ / modules_file)) read_modules_of_folder();
    read_prompts();
    const bool has_tokenizer = exists(read_.encoder / "tokenizer.json");
    for (const UnreadFile& file : unread_model_files())
      if (const fs::path path = read_.encoder / file.name; exists(path) && !(file.of_tokenizer && has_tokenizer))
        read_.warnings.push_back(concat(path.string(), ": this file is not read: ", file.effect));
    warn_of_transformer();
    return std::move(read_);
  }

 private:
  static bool exists(const fs::path& path) {
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
  }

  /// Refuses a module without which `sentence_vectors` cannot be computed; other commands leave it out.
  template <typename... Parts>
  void cannot_compute(const fs::path& file, const Parts&... parts) {
    if (part_ == FolderPart::sentence_vectors)
      throw InputError(concat(file.string(), ": ", parts..., ": give ", option_name("pooling"),
                              " to take the sentence vectors of the encoder alone"));
    read_.warnings.push_back(concat(file.string(), ": ", parts..., ": the encoder is taken without it"));
  }

  void read_modules_of_folder() {
    const fs::path file = folder_ / modules_file;
    const std::vector<Module> modules = read_modules(file);
    const auto transformer = std::find_if(modules.begin(), modules.end(),
                                          [](const Module& module) { return class_of(module.type) == "Transformer"; });
    if (transformer != modules.end())
      read_.encoder = folder_ / transformer->path;
    else if (part_ == FolderPart::sentence_vectors || !exists(folder_ / "config.json"))
      throw InputError(concat(file.string(), ": has no module Transformer of sentence-transformers (but ",
                              quoted(modules.front().type), "), whose weights could be read: give another folder"));
    if (is_own_) return;  // gausscse.safetensors has the pooling and the head
    bool is_pooled = false;
    for (const Module& module : modules) {
      const std::string name = class_of(module.type);
      if (name == "Pooling" && !is_pooled && &module != &modules.front()) {
        is_pooled = true;
        read_pooling(folder_ / module.path / "config.json");
      } else if (name == "Normalize" && is_pooled) {
        read_.notes.push_back(concat(file.string(), ": the module Normalize is not computed: embeddings keep their ",
                                     "lengths, which changes no cosine"));
      } else if ((transformer == modules.end() || &module != &*transformer) && name != "Dropout") {
        cannot_compute(file, "the module ", quoted(module.type),
                       " is not one that this program computes here (it has a ",
                       "Transformer, then a Pooling, then perhaps Normalize)");
      }
      if (!module.has_usual_arguments)
        cannot_compute(file, "the module ", quoted(module.type), " takes arguments, which this program does not have");
    }
    if (!is_pooled) cannot_compute(file, "has no Pooling behind a Transformer");
  }

  void read_pooling(const fs::path& file) {
    if (!exists(file)) return cannot_compute(file, "no such file, so the pooling is not known");
    const JsonDocument document = read_strict_json(file);
    const nlohmann::json& config = document;
    for (std::string& warning : unused_keys_with_effect(config, "1_Pooling/config.json", file.string()))
      read_.warnings.push_back(std::move(warning));
    if (const auto prompt = config.find("include_prompt"); prompt != config.end() && *prompt == false)
      read_.prompts.left_out_by = file.string();
    std::vector<PoolingKind> found;
    std::string others;
    const auto mode = config.find("pooling_mode");
    for (const auto& [kind, word] : module_words)
      if (mode != config.end() && mode->is_string() && *mode == word) found.push_back(kind);
    for (const auto& [key, value] : config.items()) {
      if (mode != config.end() || !key.starts_with("pooling_mode_") || !value.is_boolean() || !value.get<bool>())
        continue;
      const std::size_t before = found.size();
      for (const auto& [kind, name] : module_keys)
        if (key == name) found.push_back(kind);
      if (found.size() == before) others += concat(others.empty() ? "" : ", ", quoted(key));
    }
    if (!others.empty())
      cannot_compute(file, others, " is a pooling that this program does not have (it has the first token, the mean ",
                     "and the maximum)");
    else if (found.size() != 1)
      cannot_compute(file, "names ", found.empty() ? "no pooling" : "several kinds of pooling",
                     " of first token, mean and maximum, but one is needed");
    else
      read_.pooling = found.front();
  }

  void read_prompts() {
    const fs::path file = folder_ / "config_sentence_transformers.json";
    if (!exists(file)) return;
    const JsonDocument document = read_strict_json(file);
    const nlohmann::json& config = document;
    for (std::string& warning : unused_keys_with_effect(config, "config_sentence_transformers.json", file.string()))
      read_.warnings.push_back(std::move(warning));
    const auto prompts = config.find("prompts"), name = config.find("default_prompt_name");
    if (prompts != config.end() && prompts->is_object())
      for (const auto& [key, text] : prompts->items())
        if (text.is_string()) read_.prompts.texts.emplace(key, text.get<std::string>());
    if (name == config.end() || !name->is_string()) {
      if (part_ == FolderPart::encoder && !read_.prompts.texts.empty())
        read_.notes.push_back(concat(file.string(), ": the prompts of this model are not used here"));
      return;
    }
    read_.prompts.usual = name->get<std::string>();
    if (!read_.prompts.texts.contains(read_.prompts.usual))
      throw InputError(concat(file.string(), ": default_prompt_name is ", quoted(read_.prompts.usual),
                              ", which prompts does not have: correct one of them"));
    if (part_ == FolderPart::encoder && !read_.prompts.texts.at(read_.prompts.usual).empty())
      read_.warnings.push_back(concat(file.string(), ": default_prompt_name is ", quoted(read_.prompts.usual),
                                      ", a text that sentence-transformers puts before every sentence: sentences are ",
                                      "taken without it"));
  }

  void warn_of_transformer() {
    const auto& names = sentence_transformers_config_names();
    const auto name = std::find_if(names.begin(), names.end(),
                                   [&](const std::string& candidate) { return exists(read_.encoder / candidate); });
    if (name == names.end()) return;
    const fs::path file = read_.encoder / *name;
    const JsonDocument document = read_strict_json(file);
    for (std::string& warning : unused_keys_with_effect(document, "sentence_bert_config.json", file.string()))
      read_.warnings.push_back(std::move(warning));
  }

  const fs::path folder_;
  const FolderPart part_;
  bool is_own_ = false;
  ModelFolder read_;
};

}  // namespace

std::optional<PoolingKind> own_pooling(const fs::path& folder, const ModelFolder& read) {
  const fs::path model = model_folder_of(folder);
  if (is_saved_model(model)) return PropertiesFile(model).choice<PoolingKind>("pooling");
  return read.pooling;
}

ModelFolder read_model_folder(const fs::path& folder, FolderPart part) {
  const fs::path of_model = model_folder_of(folder);
  check_model_folder(of_model);
  check_saved_files(of_model, SavedFiles::but_weights);
  return FolderReader(of_model, part).read();
}

}  // namespace gausscse
