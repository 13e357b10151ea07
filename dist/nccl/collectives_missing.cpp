#include "base/error.hpp"
#include "dist/nccl/collectives.hpp"

namespace gausscse {

std::unique_ptr<Collectives> make_nccl_collectives(ControlGroup&, std::unique_ptr<Collectives>, at::Device device,
                                                   double) {
  throw InputError(
      concat("collectives on ", device,
             " need NCCL, which this program was built without: build it with the preset cuda, or train on "
             "CPUs"));
}

std::string nccl_version() {
  return {};
}

}  // namespace gausscse
