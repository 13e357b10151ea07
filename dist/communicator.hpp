#pragma once

#include <memory>

#include "dist/collectives.hpp"
#include "dist/control_group.hpp"

namespace gausscse {

/// A group of ranks with its collectives of tensors. A function that needs only one of the two takes that one.
class Communicator : public ControlGroup, public Collectives {};

/// Returns one process by itself, and all processes that mpirun or srun started; see make_mpi_collectives.
std::unique_ptr<Communicator> make_self_communicator();
std::unique_ptr<Communicator> make_mpi_communicator(std::int64_t most_elements = most_elements_of_mpi);

}  // namespace gausscse
