#include "model/head/head.hpp"

#include <stdexcept>

#include "model/head/linear_head.hpp"
#include "model/head/no_head.hpp"

namespace gausscse {

namespace {

LinearHeadLayers gaussian_layers(MeanActivation mean) {
  return {.names = {"mean", "log_var"}, .layers_with_tanh = mean == MeanActivation::tanh ? 1 : 0};
}

LinearHeadLayers mlp_layers() {
  return {.names = {"mlp"}, .layers_with_tanh = 1};
}

}  // namespace

std::vector<ParameterSpec> head_parameters(HeadKind kind, std::int64_t hidden) {
  switch (kind) {
    case HeadKind::gaussian:
      return linear_head_parameters(gaussian_layers(MeanActivation::tanh), hidden);
    case HeadKind::mlp_tanh:
      return linear_head_parameters(mlp_layers(), hidden);
    case HeadKind::none:
      return {};
  }
  throw std::logic_error("no head of this number");
}

std::int64_t head_width(HeadKind kind, std::int64_t hidden) {
  return kind == HeadKind::gaussian ? 2 * hidden : hidden;
}

std::unique_ptr<Head> make_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                MatrixProducts& products) {
  switch (settings.kind) {
    case HeadKind::gaussian:
      return std::make_unique<LinearHead>(gaussian_layers(settings.mean), hidden, parameters, products);
    case HeadKind::mlp_tanh:
      return std::make_unique<LinearHead>(mlp_layers(), hidden, parameters, products);
    case HeadKind::none:
      return std::make_unique<NoHead>(hidden);
  }
  throw std::logic_error("no head of this number");
}

}  // namespace gausscse
