#include "model/folder/model_card_head.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns "key: value", in quotes, which YAML reads as JSON does; nothing for an empty value.
std::string yaml_line(const char* key, const std::string& value) {
  return value.empty() ? "" : concat(key, ": ", nlohmann::json(value).dump(), "\n");
}

std::string yaml_list(const char* key, const std::vector<std::string>& values) {
  if (values.empty()) return "";
  std::string text = concat(key, ":\n");
  for (const std::string& value : values) text += concat("- ", nlohmann::json(value).dump(), "\n");
  return text;
}

}  // namespace

std::string model_card_head(const ModelFacts& facts, bool gaussian) {
  std::vector<std::string> tags{"sentence-similarity", "feature-extraction"};
  if (gaussian) tags.emplace_back("gaussian-embedding");
  return concat("---\n", yaml_line("library_name", facts.library), yaml_line("pipeline_tag", "sentence-similarity"),
                yaml_line("base_model", facts.base_model), yaml_list("language", facts.languages),
                yaml_line("license", facts.license), yaml_list("datasets", facts.datasets), yaml_list("tags", tags),
                "---\n\n# ", gaussian ? "Gaussian sentence encoder" : "Sentence encoder", "\n\n");
}

}  // namespace gausscse
