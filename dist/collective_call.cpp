#include "dist/collective_call.hpp"

#include "base/error.hpp"

namespace gausscse {

std::string to_string(const CollectiveCall& call) {
  return concat(collective_names[static_cast<std::size_t>(call.collective)],
                call.elements > 0 ? concat(" of ", call.elements, " elements") : std::string(), " (collective ",
                call.number, call.step < 0 ? std::string() : concat(", step ", call.step), ")");
}

}  // namespace gausscse
