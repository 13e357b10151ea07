#include "model/model_metadata.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace gausscse {

namespace {

/// Returns the number that all of `text` is.
template <typename Value>
std::optional<Value> parsed(std::string_view text) {
  Value value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const std::string& ModelMetadata::text(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    throw InputError(
        concat(path_.string(), ": the metadata has no ", quoted(key), ": this is not of a model that gausscse saved"));
  return found->second;
}

double ModelMetadata::number(const std::string& key) const {
  const std::string& given = text(key);
  const auto value = parsed<double>(given);
  if (!value)
    throw InputError(concat(path_.string(), ": metadata ", quoted(key), " is ", quoted(given), ", not a number"));
  return *value;
}

std::int64_t ModelMetadata::whole_number(const std::string& key, std::int64_t least, std::int64_t most) const {
  const std::string& given = text(key);
  const auto value = parsed<std::int64_t>(given);
  if (!value || *value < least || *value > most)
    throw InputError(concat(path_.string(), ": metadata ", quoted(key), " is ", quoted(given),
                            "; it must be a whole number from ", least,
                            most == std::numeric_limits<std::int64_t>::max() ? std::string() : concat(" to ", most),
                            ": the model is damaged, get it again"));
  return *value;
}

const std::string& ModelMetadata::one_of(const std::string& key, const std::vector<std::string>& known) const {
  const std::string& given = text(key);
  if (std::find(known.begin(), known.end(), given) == known.end())
    throw InputError(concat(path_.string(), ": metadata ", quoted(key), " is ", quoted(given), ", which is not known",
                            nearest_name(given, known)));
  return given;
}

}  // namespace gausscse
