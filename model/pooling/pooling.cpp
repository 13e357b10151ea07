#include "model/pooling/pooling.hpp"

#include "base/error.hpp"
#include "model/pooling/first_token.hpp"

namespace gausscse {

std::unique_ptr<Pooling> make_pooling(const std::string& name) {
  if (name == "first_token") return std::make_unique<FirstTokenPooling>();
  throw std::logic_error(concat("no pooling is called ", name));
}

}  // namespace gausscse
