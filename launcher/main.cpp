#include "launcher/program.hpp"
#include "launcher/run_command.hpp"

/// Starts gausscse. run_program (program.cpp) parses the command line and calls the function of the command. Each
/// command is a file of launcher/commands: `gausscse train` is run_train, in train.cpp.
int main(int argc, char** argv) {
  gausscse::end_process(gausscse::run_program(argc, argv));
}
