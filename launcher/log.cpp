#include "launcher/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

/// Standard error, with control characters of messages made visible.
class VisibleSink : public spdlog::sinks::stderr_sink_mt {
 public:
  void log(const spdlog::details::log_msg& message) override {
    const std::string text = visible_lines(std::string_view(message.payload.data(), message.payload.size()));
    spdlog::details::log_msg visible = message;
    visible.payload = text;
    spdlog::sinks::stderr_sink_mt::log(visible);
  }
};

spdlog::level::level_enum level_of(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::errors:
      return spdlog::level::err;
    case Verbosity::details:
      return spdlog::level::debug;
    case Verbosity::notes:
      break;
  }
  return spdlog::level::info;
}

/// Starts the log. `place` stands between the time and the level: " rank 03".
void start(const std::string& place, spdlog::level::level_enum level) {
  auto logger = std::make_shared<spdlog::logger>("gausscse", std::make_shared<VisibleSink>());
  logger->set_pattern("%Y-%m-%d %H:%M:%S" + place + " %l: %v");
  logger->set_level(level);
  spdlog::set_default_logger(logger);
}

}  // namespace

void start_log(const ControlGroup& ranks, Verbosity verbosity) {
  std::string rank;
  if (ranks.size() > 1) {
    const std::size_t width = std::to_string(ranks.size() - 1).size();
    const std::string number = std::to_string(ranks.rank());
    rank = concat(" rank ", std::string(width - std::min(width, number.size()), '0'), number);
  }
  start(rank, ranks.is_root() ? level_of(verbosity) : spdlog::level::err);
}

void warn_always(const std::string& warning) {
  spdlog::logger& logger = *spdlog::default_logger_raw();
  const spdlog::level::level_enum level = logger.level();
  logger.set_level(std::min(level, spdlog::level::warn));
  logger.warn(warning);
  logger.set_level(level);
}

void start_worker_log(Verbosity verbosity) {
  start("", level_of(verbosity));
}

}  // namespace gausscse
