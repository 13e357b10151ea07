#include "experiments/grid/attempts.hpp"

#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

constexpr const char* attempts_format = "gausscse-attempts/1";

}  // namespace

void write_attempts(const std::filesystem::path& folder, const Attempts& attempts) {
  const nlohmann::ordered_json root{{"format", attempts_format},
                                    {"generation", attempts.generation},
                                    {"worker", attempts.worker},
                                    {"started", attempts.started},
                                    {"seconds", attempts.seconds},
                                    {"hosts", attempts.hosts},
                                    {"process",
                                     {{"host", attempts.process.host},
                                      {"boot", attempts.process.boot},
                                      {"number", attempts.process.number},
                                      {"start", attempts.process.start}}}};
  write_file_atomically(folder / attempts_file,
                        root.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

Attempts read_attempts(const std::filesystem::path& folder) {
  try {
    const JsonDocument document = read_strict_json(folder / attempts_file, std::size_t{1} << 20);
    const nlohmann::json& root = document;
    if (root.at("format") != attempts_format) return {};
    const nlohmann::json& process = root.at("process");
    return {.generation = root.at("generation").get<long>(),
            .worker = root.at("worker").get<std::string>(),
            .started = root.at("started").get<std::int64_t>(),
            .seconds = root.at("seconds").get<double>(),
            .hosts = root.at("hosts").get<std::vector<std::string>>(),
            .process = {.host = process.at("host").get<std::string>(),
                        .boot = process.at("boot").get<std::string>(),
                        .number = process.at("number").get<std::int64_t>(),
                        .start = process.at("start").get<std::uint64_t>()}};
  } catch (const InputError&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

long committed_generation(const std::filesystem::path& folder) {
  return read_attempts(folder).generation;
}

}  // namespace gausscse
