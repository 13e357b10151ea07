#include "config/trial/key_of_word.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "config/schema/key_aliases.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

MeantKey meant(std::string name, std::string_view remark = "") {
  const Keys<Trial>& keys = trial_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key<Trial>& each) { return each.name == name; });
  const bool has_value = key != keys.end() && !key->holds_names;
  return {std::move(name), has_value, remark};
}

}  // namespace

std::optional<MeantKey> key_of_word(std::string_view word) {
  std::string plain(word);
  std::replace(plain.begin(), plain.end(), '-', '_');
  for (const Key<Trial>& key : trial_keys())
    if (key.name == plain) return meant(plain);
  // In a file these are sections; as an option they are the model to start from.
  const bool is_model = plain == "model" || plain == "backbone";
  if (const KeyAlias* other = other_word(is_model ? std::string_view("model_name") : std::string_view(plain)))
    return meant(std::string(other->key), other->remark);
  for (const Key<Trial>& key : trial_keys())
    if (key.word() == plain) return meant(key.name);
  return std::nullopt;
}

std::optional<MeantKey> nearest_key(std::string_view word) {
  std::vector<std::string> words;
  for (const Key<Trial>& key : trial_keys()) words.push_back(key.word());
  const std::string nearest = nearest_name(word, words);
  const std::size_t begin = nearest.find('"') + 1;
  return nearest.empty() ? std::nullopt : key_of_word(nearest.substr(begin, nearest.rfind('"') - begin));
}

}  // namespace gausscse
