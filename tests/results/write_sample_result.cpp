// Writes a small result file: write_sample_result PATH

#include <cstdio>
#include <exception>

#include "results/result_file.hpp"
#include "tests/results/sample_result.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_sample_result PATH\n", stderr);
    return 2;
  }
  try {
    gausscse::RunResult result = gausscse::sample_result();
    gausscse::Measurement sts13 = result.states[0].tasks.back();
    sts13.task = "sts13";
    result.states[0].tasks.push_back(sts13);  // so that there is an average
    result.states.push_back({"untrained", 0, {gausscse::sample_geometry()}});
    result.provenance.continued = gausscse::sample_continued();
    result.provenance.gpu_memory_taken = 3 << 20;
    result.provenance.gpu_memory = 8 << 20;
    result.ended_early = "after step 3 of 9: why";
    result.halved_micro_batch = "to 4 examples from step 1 on, as memory was refused";
    gausscse::write_result(argv[1], result);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
