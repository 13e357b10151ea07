#include "model/pooling/pooling.hpp"

#include <stdexcept>

#include "model/pooling/first_token.hpp"
#include "model/pooling/token_maximum.hpp"
#include "model/pooling/token_mean.hpp"

namespace gausscse {

std::unique_ptr<Pooling> make_pooling(PoolingKind kind) {
  switch (kind) {
    case PoolingKind::first_token:
      return std::make_unique<FirstTokenPooling>();
    case PoolingKind::mean:
      return std::make_unique<TokenMeanPooling>(0);
    case PoolingKind::mean_without_first:
      return std::make_unique<TokenMeanPooling>(1);
    case PoolingKind::max:
      return std::make_unique<TokenMaximumPooling>();
  }
  throw std::logic_error("no pooling of this number");
}

}  // namespace gausscse
