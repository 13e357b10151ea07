#include "dist/communicator.hpp"

#include "dist/monitored_communicator.hpp"

namespace gausscse {

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<MonitoredCommunicator>(make_self_control_group(), make_self_collectives(), nullptr, false);
}

}  // namespace gausscse
