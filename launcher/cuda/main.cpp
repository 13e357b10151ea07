#include "launcher/start_program.hpp"

int main(int argc, char** argv) {
  return gausscse::start_program("libgausscse_program.so", argc, argv);
}
