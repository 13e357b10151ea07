#include "launcher/program.hpp"
#include "launcher/run_command.hpp"

int main(int argc, char** argv) {
  gausscse::end_process(gausscse::run_program(argc, argv));
}
