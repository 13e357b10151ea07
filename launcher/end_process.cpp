#include "launcher/end_process.hpp"

#include <cstdio>
#include <cstdlib>

namespace gausscse {

void end_process(int exit_code) {
#if defined(GAUSSCSE_ORDINARY_EXIT) || defined(GAUSSCSE_ADDRESS_SANITIZER)
  std::exit(exit_code);
#else
  std::fflush(nullptr);
  std::_Exit(exit_code);
#endif
}

}  // namespace gausscse
