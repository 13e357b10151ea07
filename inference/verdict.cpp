#include "inference/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "model/similarities/list.hpp"

namespace gausscse {

const char* verdict_of(double forward, double backward, const ModelProperties& model, double tolerance) {
  if (!model.threshold) return "none";
  if (std::max(forward, backward) < *model.threshold) return "no entailment";
  if (!has_direction(model.similarity)) return "entailment";
  if (std::abs(forward - backward) <= tolerance) return "both";
  return forward > backward ? "first entails second" : "second entails first";
}

}  // namespace gausscse
