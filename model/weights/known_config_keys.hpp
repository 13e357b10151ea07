#pragma once

#include <string>
#include <vector>

namespace gausscse {

/// The keys of a config.json that are read, or that are known not to change the last hidden state of an encoder. Any
/// other key may change what the model computes.
const std::vector<std::string>& known_config_keys();

}  // namespace gausscse
