#include "model/folder/properties_file.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "model/weights/dtype.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Returns the number that all of `text` is.
template <typename Value>
std::optional<Value> parsed(std::string_view text) {
  Value value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::string_view head_prefix = "head.";
constexpr std::string_view objective_prefix = "objective.";

}  // namespace

const std::string& PropertiesFile::text(const std::string& key) const {
  const auto found = values().find(key);
  if (found == values().end())
    throw InputError(
        concat(path_.string(), ": the metadata has no ", quoted(key), ": this is not of a model that gausscse saved"));
  return found->second;
}

double PropertiesFile::number(const std::string& key) const {
  const std::string& given = text(key);
  const auto value = parsed<double>(given);
  if (!value)
    throw InputError(concat(path_.string(), ": metadata ", quoted(key), " is ", quoted(given), ", not a number"));
  return *value;
}

std::int64_t PropertiesFile::whole_number(const std::string& key, std::int64_t least, std::int64_t most) const {
  const std::string& given = text(key);
  const auto value = parsed<std::int64_t>(given);
  if (!value || *value < least || *value > most)
    throw InputError(concat(path_.string(), ": metadata ", quoted(key), " is ", quoted(given),
                            "; it must be a whole number from ", least,
                            most == std::numeric_limits<std::int64_t>::max() ? std::string() : concat(" to ", most),
                            ": the model is damaged, get it again"));
  return *value;
}

const std::string& PropertiesFile::one_of(const std::string& key, const std::vector<std::string>& known) const {
  const std::string& given = text(key);
  if (std::find(known.begin(), known.end(), given) == known.end())
    throw InputError(concat(path_.string(), ": metadata ", quoted(key), " is ", quoted(given), ", which is not known",
                            nearest_name(given, known)));
  return given;
}

bool is_head_parameter(const std::string& parameter) {
  return parameter.starts_with(head_prefix);
}

bool is_objective_parameter(const std::string& parameter) {
  return parameter.starts_with(objective_prefix);
}

std::string name_in_model_folder(const ParameterSpec& spec) {
  return is_head_parameter(spec.name) ? spec.name.substr(head_prefix.size()) : spec.name_in_file();
}

PropertiesFile::PropertiesFile(const fs::path& folder)
    : path_(folder / model_properties_file), file_(SafetensorsFile::open(path_)) {
  if (const std::string& given = text(format_key); given != format && given != format_with_layers)
    throw InputError(concat(path_.string(), ": metadata ", quoted(format_key), " is ", quoted(given),
                            ", but this version of gausscse reads ", format, " and ", format_with_layers,
                            ": open it with the version that saved it"));
}

HeadSettings PropertiesFile::head() const {
  HeadSettings head{choice<HeadKind>("head")};
  if (head.kind == HeadKind::gaussian) head.mean = choice<MeanLayer>("mean");
  if (text(format_key) != format_with_layers) return head;
  head.scale = choice<MeanScale>("scale");
  head.log_var = choice<LogVarLayer>("log_var");
  if (head.log_var == LogVarLayer::mlp) head.log_var_width = whole_number("log_var_width", 1, most_log_var_width);
  return head;
}

std::vector<ParameterSpec> PropertiesFile::objective_parameters() const {
  std::vector<ParameterSpec> specs;
  for (const TensorEntry& tensor : file_.tensors())
    if (is_objective_parameter(tensor.name)) specs.push_back({tensor.name, tensor.shape});
  return specs;
}

void PropertiesFile::load(std::size_t parameter, SentenceEncoder& encoder) const {
  const ParameterSpec& spec = encoder.parameters().specs()[parameter];
  const std::string name = name_in_model_folder(spec);
  const TensorEntry* tensor = file_.find(name);
  if (!tensor) throw InputError(concat(path_.string(), ": tensor ", quoted(name), " is missing"));
  if (tensor->shape != spec.shape)
    throw InputError(concat(path_.string(), ": tensor ", quoted(name), " does not have the shape that the encoder's ",
                            "hidden size of ", encoder.settings().encoder.hidden_size, " asks for"));
  encoder.parameters().write_value(parameter, [&](at::Tensor flat) {
    const std::span<float> values(flat.mutable_data_ptr<float>(), static_cast<std::size_t>(flat.numel()));
    if (const std::size_t bad = copy_and_count_non_finite(*tensor, values); bad != 0)
      throw InputError(concat(path_.string(), ": tensor ", quoted(name), " has infinite or NaN values (", bad, " of ",
                              values.size(), "): the model is damaged, get it again"));
  });
}

}  // namespace gausscse
