#pragma once

#include <vector>

#include "model/encoder/parameter_store.hpp"

namespace gausscse::testing_support {

/// Weights, biases and layer norms of sizes that are multiples of no block.
inline std::vector<ParameterSpec> layered_parameters() {
  std::vector<ParameterSpec> specs{{"LayerNorm.weight", {5}}};
  for (const char* layer : {"a", "b", "c"})
    for (const ParameterSpec& spec : {ParameterSpec{".weight", {30, 31}}, ParameterSpec{".bias", {31}},
                                      ParameterSpec{".LayerNorm.weight", {31}}, ParameterSpec{".second", {300}}})
      specs.push_back({layer + spec.name, spec.shape});
  return specs;
}

}  // namespace gausscse::testing_support
