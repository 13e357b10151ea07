#pragma once

#include <string>

#include "model/batch/parameter_store.hpp"

namespace gausscse {

/// Returns the XXH3-128, as 32 hexadecimal digits, of the weights that embed sentences: those of the encoder and the
/// head, without the training objective's. The hashed bytes are, for each tensor in the order of its name in the files
/// of a saved model,
///
///     name, a zero byte, its values as little-endian float32
///
/// So it is the same for any precision of matmuls, any device and any division of tensors among files.
std::string weights_hash(const ParameterStore& parameters);

}  // namespace gausscse
