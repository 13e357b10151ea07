#include "dist/communicator.hpp"

#include "dist/monitored_communicator.hpp"

namespace gausscse {

std::unique_ptr<Communicator> make_mpi_communicator(std::int64_t most_elements) {
  return std::make_unique<MonitoredCommunicator>(make_mpi_control_group(), make_mpi_collectives(most_elements), nullptr,
                                                 false);
}

}  // namespace gausscse
