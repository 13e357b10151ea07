#pragma once

namespace gausscse {

/// Ends a process whose work is done and whose files are closed. Static objects are not destroyed: LibTorch would take
/// a third of a short command's time for that. Builds for sanitizers and coverage, which look around at the end, exit
/// in the ordinary way.
[[noreturn]] void end_process(int exit_code);

}  // namespace gausscse
