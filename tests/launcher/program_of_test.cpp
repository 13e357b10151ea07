#include <cstdio>
#include <cstring>

#ifdef ASKS_FOR_ANOTHER
int of_another();
#endif

/// Returns a program that prints its arguments, and ends with the number of them.
extern "C" int gausscse_program(const char* build, int argc, char** argv) {
#ifdef ASKS_FOR_ANOTHER
  argc += of_another();
#endif
  std::printf("%s ", build);
  for (int i = 1; i < argc; ++i) std::printf("%s ", argv[i]);
  std::fflush(stdout);
  return argc;
}
