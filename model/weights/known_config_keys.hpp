#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/weights/encoder_family.hpp"

namespace gausscse {

/// Returns the keys of a config.json of the family that are read, or that are known not to change the last hidden state
/// of an encoder, regardless of their value.
std::vector<std::string> known_config_keys(const EncoderFamily& family);

/// Returns whether a key of a config.json that is not known switches nothing on: its value is null, false, or an empty
/// text, list or object. All keys that transformers 4.6 to 5.23 added to its base config, to BertConfig or to
/// RobertaConfig have such a default, but for numbers that concern text generation, which are known; so those of later
/// releases are accepted while they hold it. Numbers, true and anything else may change what the model computes; 0 is a
/// number. A model whose code is its own, for which false may be such a change, says so by the key auto_map, which is
/// then not empty.
bool is_switched_off(const nlohmann::json& value);

}  // namespace gausscse
