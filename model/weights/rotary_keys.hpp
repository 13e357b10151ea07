#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/weights/config_reader.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// Keys of a config.json about rotary positions and local attention. Files have them in one of two forms:
///
///     until transformers 4                          from transformers 5 on
///     "global_rope_theta": 160000.0                 "rope_parameters": {"full_attention": {"rope_theta": 160000.0,
///     ...}, "local_rope_theta": 10000.0                                       "sliding_attention": {...}}
///     "global_attn_every_n_layers": 3               "layer_types": ["full_attention", "sliding_attention", ...]
///     "local_attention": 128
const std::vector<std::string>& rotary_keys();

/// Reads them in either form; `config` has the shape and the family's defaults. Throws InputError for other kinds of
/// rotary positions, and for layers that are not local in a fixed rhythm.
RotaryPositions read_rotary_positions(const ConfigReader& reader, const EncoderConfig& config);

/// Adds the keys, as all releases of `transformers` that have the family read them.
void write_rotary_positions(const RotaryPositions& positions, nlohmann::ordered_json& to);

}  // namespace gausscse
