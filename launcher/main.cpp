#include "launcher/end_process.hpp"
#include "launcher/program.hpp"

int main(int argc, char** argv) {
  gausscse::end_process(gausscse::run_program(argc, argv));
}
