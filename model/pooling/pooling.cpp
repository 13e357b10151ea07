#include "model/pooling/pooling.hpp"

#include <stdexcept>

#include "model/pooling/first_token.hpp"

namespace gausscse {

std::unique_ptr<Pooling> make_pooling(PoolingKind kind) {
  switch (kind) {
    case PoolingKind::first_token:
      return std::make_unique<FirstTokenPooling>();
  }
  throw std::logic_error("no pooling of this number");
}

}  // namespace gausscse
