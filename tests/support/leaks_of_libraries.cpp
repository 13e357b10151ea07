/// Returns the leaks that LeakSanitizer is not to report. LLVM's OpenMP run time frees the memory of its threads after
/// the sanitizer has looked. Leaks of the product inside a parallel region go unnoticed with it.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)

extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libomp.so";
}
