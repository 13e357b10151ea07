#include "launcher/libtorch_program.hpp"

#ifdef GAUSSCSE_WITHOUT_LIBTORCH
#include "launcher/run_command.hpp"
#include "launcher/start_program.hpp"
#include "launcher/version.hpp"
#endif

namespace gausscse {

void continue_with_libtorch([[maybe_unused]] const CommandLine& line) {
#ifdef GAUSSCSE_WITHOUT_LIBTORCH
  end_process(start_program("libgausscse_program.so", version_and_commit().c_str(),
                            "install the program with its folder lib/gausscse, or name the folder of LibTorch 2.11.0's "
                            "libraries in LD_LIBRARY_PATH; encode, score, similarity, search, apply and export need "
                            "none of them",
                            line.count, line.arguments));
#endif
}

}  // namespace gausscse
