#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "base/error.hpp"
#include "config/schema/key_writer.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

std::string to_yaml(const Trial& trial) {
  YAML::Emitter out;
  write_keys(trial_keys(), trial, out);
  out << YAML::Newline;
  GAUSSCSE_CHECK(out.good(), out.GetLastError());
  return out.c_str();
}

}  // namespace gausscse
