#include "model/head/head.hpp"

#include <stdexcept>

#include "model/head/gaussian_head.hpp"
#include "model/head/no_head.hpp"

namespace gausscse {

std::vector<ParameterSpec> head_parameters(HeadKind kind, std::int64_t hidden) {
  switch (kind) {
    case HeadKind::gaussian:
      return gaussian_head_parameters(hidden);
    case HeadKind::none:
      return {};
  }
  throw std::logic_error("no head of this number");
}

std::unique_ptr<Head> make_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                MatrixProducts& products) {
  switch (settings.kind) {
    case HeadKind::gaussian:
      return std::make_unique<GaussianHead>(hidden, settings.mean, parameters, products);
    case HeadKind::none:
      return std::make_unique<NoHead>(hidden);
  }
  throw std::logic_error("no head of this number");
}

}  // namespace gausscse
