#include "launcher/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "base/error.hpp"

namespace gausscse {

void start_log(const ControlGroup& ranks, Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>("gausscse", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  std::string rank;
  if (ranks.size() > 1) {
    const std::size_t width = std::to_string(ranks.size() - 1).size();
    const std::string number = std::to_string(ranks.rank());
    rank = concat(" rank ", std::string(width - std::min(width, number.size()), '0'), number);
  }
  logger->set_pattern("%H:%M:%S" + rank + " %l: %v");
  spdlog::level::level_enum level = spdlog::level::info;
  if (verbosity == Verbosity::errors || !ranks.is_root())
    level = spdlog::level::err;
  else if (verbosity == Verbosity::details)
    level = spdlog::level::debug;
  logger->set_level(level);
  spdlog::set_default_logger(logger);
}

}  // namespace gausscse
