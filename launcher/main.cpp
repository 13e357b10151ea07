#include "launcher/program.hpp"

int main(int argc, char** argv) {
  return gausscse::run_program(argc, argv);
}
