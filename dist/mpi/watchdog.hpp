#pragma once

#include <memory>

#include "dist/collective_call.hpp"

namespace gausscse {

/// Watches the collectives of this rank from its own thread. Where one lasts longer than `seconds`, the rank asks all
/// others where they are and prints on standard error the collective, the step and the ranks that are missing. It has
/// the others print there where they are, and ends the whole job with exit code 1 within a few seconds. Ranks that were
/// stopped, died, or wait in another collective cannot keep it alive. A rank that answers that it is at slow work does:
/// the asking rank waits as long again.
///
/// MPI must have been initialised with MPI_THREAD_MULTIPLE for the question to be asked; without it the message names
/// this rank's collective only. A collective that is queued on a device is watched until it is done there. Its time
/// counts from the end of all before it. Where it fails, the job ends in the same way at once. Work that is queued on
/// the device of the rank that ends the job is aborted before. Collective call; MPI must outlive the object.
std::unique_ptr<CollectiveWatch> make_watchdog(double seconds);

}  // namespace gausscse
