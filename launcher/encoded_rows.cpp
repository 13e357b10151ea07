#include "launcher/encoded_rows.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

constexpr const char* other_file_remedy = ": encode into another file, and give both to `search`";

/// Rows that are copied at once.
constexpr std::uint64_t rows_of_copy = 8192;

/// Checks one text of the attributes.
void check_attribute(const std::filesystem::path& path, const std::map<std::string, std::string>& of_file,
                     const std::string& name, const std::string& wanted) {
  const auto found = of_file.find(name);
  const bool is_prompt = name == "prompt";  // rows without one have no such attribute
  if (found == of_file.end() && !is_prompt) {
    if (name == "pooling") return;
    throw InputError(concat("--append: ", path.string(), " does not record the ", name,
                            " of its embeddings, so nobody knows what made them", other_file_remedy));
  }
  const std::string of_rows = found == of_file.end() ? "" : found->second;
  if (of_rows == wanted || name == "model") return;
  if (name == "model_hash")
    throw InputError(concat("--append: ", path.string(), ": its embeddings are of another model",
                            of_file.contains("model") ? concat(" (", quoted(of_file.at("model"), 200), ")") : "",
                            ", or of this one with other settings", other_file_remedy));
  throw InputError(concat("--append: ", path.string(), ": its embeddings have the ", name, " ", quoted(of_rows, 200),
                          ", new ones would have ", quoted(wanted, 200), other_file_remedy));
}

}  // namespace

EncodedRows::EncodedRows(const std::filesystem::path& path, const std::vector<std::string>& datasets,
                         std::int64_t dimension, const EmbeddingsAttributes& attributes)
    : file_(path) {
  if (file_.format() != embeddings_format(path))
    throw InputError(concat("--append: ", path.string(), " is of another format than its suffix says: rename it"));
  if (file_.datasets() != datasets)
    throw InputError(concat("--append: ", path.string(), " holds ", joined(file_.datasets(), " and "),
                            ", the model gives ", joined(datasets, " and "), other_file_remedy));
  if (file_.dimension() != static_cast<std::uint64_t>(dimension))
    throw InputError(concat("--append: ", path.string(), ": its embeddings have ", file_.dimension(),
                            " dimensions, those of the model have ", dimension, other_file_remedy));
  const std::map<std::string, std::string>& of_file = file_.attributes();
  for (const char* name : {"format", "similarity", "precision", "pooling", "max_tokens", "model", "model_hash"})
    check_attribute(path, of_file, name, attributes.texts.at(name));
  const auto prompt = attributes.texts.find("prompt");
  check_attribute(path, of_file, "prompt", prompt == attributes.texts.end() ? "" : prompt->second);
  for (const auto& [name, text] : of_file)
    if (!attributes.texts.contains(name) && !attributes.counts.contains(name))
      throw InputError(concat("--append: ", path.string(), " has the attribute ", quoted(name),
                              ", which encode does not write, and which would be lost", other_file_remedy));
  const auto version = of_file.find("version");
  if (version == of_file.end() || version->second != attributes.texts.at("version"))
    warning_ = concat(path.string(), ": its rows are of gausscse ",
                      version == of_file.end() ? "of an unknown version" : version->second,
                      ", whose last bits may differ from those of new rows");
}

std::int64_t EncodedRows::cut_sentences() const {
  std::int64_t count = 0;
  if (const auto found = file_.attributes().find("cut_sentences"); found != file_.attributes().end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), count);
  return count;
}

void EncodedRows::copy_to(EmbeddingsWriter& writer) const {
  const std::size_t datasets = file_.datasets().size(), dimension = static_cast<std::size_t>(file_.dimension());
  for (std::uint64_t first = 0; first < file_.rows(); first += rows_of_copy) {
    const std::uint64_t count = std::min(rows_of_copy, file_.rows() - first);
    const std::vector<float> rows = file_.read(first, count);
    std::vector<std::vector<float>> parts(datasets);
    for (std::size_t place = 0; place < rows.size(); place += dimension) {
      std::vector<float>& part = parts[place / dimension % datasets];
      part.insert(part.end(), rows.begin() + static_cast<std::ptrdiff_t>(place),
                  rows.begin() + static_cast<std::ptrdiff_t>(place + dimension));
    }
    writer.append({parts.begin(), parts.end()});
  }
}

}  // namespace gausscse
