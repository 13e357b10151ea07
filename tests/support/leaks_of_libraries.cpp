/// Asked by LeakSanitizer for what it is not to tell.
/// LLVM's OpenMP run time frees what it keeps for its threads after the sanitizer has looked. What the product would
/// leak inside a parallel region goes unnoticed with it.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)

extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libomp.so";
}
