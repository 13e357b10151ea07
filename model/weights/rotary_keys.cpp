#include "model/weights/rotary_keys.hpp"

#include <nlohmann/json.hpp>

namespace gausscse {

namespace {

constexpr const char* global_name = "full_attention";
constexpr const char* local_name = "sliding_attention";

/// Returns the base of the angles that an entry of rope_parameters has; `otherwise` where it is not there.
double base_of(const ConfigReader& reader, const nlohmann::json& entry, double otherwise) {
  if (!entry.is_object()) reader.refuse("rope_parameters has ", shown(entry), " in place of an object");
  const ConfigReader of_entry(entry, concat(reader.source_name(), ": rope_parameters"));
  of_entry.refuse_unknown_keys({"rope_theta", "rope_type", "partial_rotary_factor"});
  of_entry.require("rope_type", "default");
  of_entry.require("partial_rotary_factor", 1.0);
  return of_entry.positive("rope_theta", otherwise);
}

/// Returns every how many layers one is global, by the list of all layers' types.
std::int64_t rhythm_of(const ConfigReader& reader, const nlohmann::json& types, std::int64_t layers) {
  if (!types.is_array() || static_cast<std::int64_t>(types.size()) != layers)
    reader.refuse("layer_types is no list of ", layers, " layers");
  std::int64_t every = 1;
  while (every < layers && types[static_cast<std::size_t>(every)] != global_name) ++every;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const auto& type = types[static_cast<std::size_t>(layer)];
    if (type != (layer % every == 0 ? global_name : local_name))
      reader.refuse("layer_types has ", shown(type), " for layer ", layer, "; only global layers at every n-th place, ",
                    "from the first on, and local ones between them are implemented: use another model");
  }
  return every;
}

}  // namespace

const std::vector<std::string>& rotary_keys() {
  static const std::vector<std::string> keys{"rope_parameters",  "layer_types",     "global_rope_theta",
                                             "local_rope_theta", "local_attention", "global_attn_every_n_layers",
                                             "rope_scaling",     "head_dim"};
  return keys;
}

RotaryPositions read_rotary_positions(const ConfigReader& reader, const EncoderConfig& config) {
  RotaryPositions positions = config.rotary;
  const std::int64_t head_size = config.hidden_size / config.heads;
  reader.require("head_dim", head_size);
  reader.require("rope_scaling", nullptr);
  if (head_size % 2 != 0)
    reader.refuse("heads are ", head_size, " wide; rotary positions turn pairs, so that it must be an even number");
  const bool has_local_layers = positions.global_every > 1;
  if (has_local_layers) {
    positions.local_distance = reader.integer("local_attention", 2, 1 << 20, 2 * positions.local_distance) / 2;
    positions.global_every = reader.integer("global_attn_every_n_layers", 1, 1000, positions.global_every);
    positions.base = reader.positive("global_rope_theta", positions.base);
    positions.local_base = reader.positive("local_rope_theta", positions.local_base);
    const nlohmann::json* types = reader.find("layer_types");
    if (types && !types->is_null()) positions.global_every = rhythm_of(reader, *types, config.layers);
  }
  const nlohmann::json* parameters = reader.find("rope_parameters");
  if (!parameters || parameters->is_null()) return positions;
  if (!has_local_layers) {
    positions.base = base_of(reader, *parameters, positions.base);
    return positions;
  }
  if (!parameters->is_object()) reader.refuse("rope_parameters is no object");
  for (const auto& [name, entry] : parameters->items()) {
    if (name != global_name && name != local_name)
      reader.refuse("rope_parameters has an unknown key ", quoted(name), "; known are ", global_name, " and ",
                    local_name);
    double& base = name == global_name ? positions.base : positions.local_base;
    base = base_of(reader, entry, base);
  }
  return positions;
}

void write_rotary_positions(const RotaryPositions& positions, nlohmann::ordered_json& to) {
  if (positions.local_distance == 0) {
    to["rope_parameters"] = {{"rope_theta", positions.base}, {"rope_type", "default"}};
    return;
  }
  to["global_rope_theta"] = positions.base;
  to["local_rope_theta"] = positions.local_base;
  to["local_attention"] = 2 * positions.local_distance;
  to["global_attn_every_n_layers"] = positions.global_every;
}

}  // namespace gausscse
