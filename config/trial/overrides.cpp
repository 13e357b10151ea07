#include "config/trial/overrides.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/schema/yaml_edit.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

void apply(const std::string& override_text, YamlNode& root) {
  const auto source = std::make_shared<const std::string>("--set " + quoted(override_text, 200));
  const YamlPosition position{source, 0, 0};
  const std::size_t equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(concat(*source, ": is not of the form key=value, such as training.epochs=3"));
  }
  const std::string_view name = std::string_view(override_text).substr(0, equals);
  const Keys<Trial>& keys = trial_keys();
  // Replacing a section would silently drop the file's other keys in it.
  if (is_section(keys, name) || std::any_of(keys.begin(), keys.end(), [&](const Key<Trial>& key) {
        return key.holds_names && key.name == name;
      })) {
    throw InputError(concat(*source, ": ", quoted(name), " is a section: set its keys one by one"));
  }
  YamlNode value = parse_yaml_document(std::string_view(override_text).substr(equals + 1), source, false);
  value.position = position;
  set_value(root, name, position, std::move(value));
}

}  // namespace

void apply_overrides(const std::vector<std::string>& overrides, YamlNode& root, ProblemList& problems) {
  for (const std::string& override_text : overrides) {
    try {
      apply(override_text, root);
    } catch (const InputError& error) {
      problems.add(error.what());
    }
  }
}

}  // namespace gausscse
