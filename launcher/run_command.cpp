#include "launcher/run_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "dist/mpi/session.hpp"
#include "launcher/failure_text.hpp"

namespace gausscse {

void end_process(int exit_code) {
#if defined(GAUSSCSE_ORDINARY_EXIT) || defined(GAUSSCSE_ADDRESS_SANITIZER)
  std::exit(exit_code);
#else
  std::fflush(nullptr);
  std::_Exit(exit_code);
#endif
}

namespace {

constexpr int system_failure = 1;
constexpr int input_failure = 2;

int fail(const std::string& said, int exit_code) {
  const std::string message = visible_lines(said);
  const std::optional<int> rank = rank_in_environment();
  // An error of all ranks is reported once: the lowest one ends the others before they come to it.
  if (rank && *rank > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1000 + 100 * std::min(*rank, 20)));
  if (rank)
    std::fprintf(stderr, "gausscse: error on rank %d: %s\n", *rank, message.c_str());
  else
    std::fprintf(stderr, "gausscse: error: %s\n", message.c_str());
  std::fflush(stderr);
  MpiSession::abort_all_ranks(exit_code);
  return exit_code;
}

}  // namespace

int run_command(std::string_view name, const std::function<int()>& command) {
  try {
    return command();
  } catch (const InputError& error) {
    return fail(error.what(), input_failure);
  } catch (const WriteError& error) {
    return fail(error.what(), input_failure);
  } catch (const std::filesystem::filesystem_error& error) {
    const bool can_be_put_right =
        error.code() == std::errc::permission_denied || error.code() == std::errc::no_space_on_device;
    return fail(failure_text(error, name), can_be_put_right ? input_failure : system_failure);
  } catch (const std::exception& error) {
    return fail(failure_text(error, name), system_failure);
  }
}

}  // namespace gausscse
