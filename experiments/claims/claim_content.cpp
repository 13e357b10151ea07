#include "experiments/claims/claim_content.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "experiments/study/json_fields.hpp"

namespace gausscse {

namespace {

bool is_of_here(const ProcessIdentity& process, const World& world) {
  // A boot that could not be read says nothing.
  const std::string boot = world.boot();
  return process.number > 0 && process.start > 0 && boot.size() > 30 && process.boot == boot &&
         process.host == world.host();
}

}  // namespace

ProcessIdentity identity_of_process(std::int64_t number, const World& world) {
  return {.host = world.host(),
          .boot = world.boot(),
          .number = number,
          .start = world.start_of_process(number).value_or(0)};
}

ProcessIdentity this_process_identity() {
  return identity_of_process(::getpid());
}

bool is_known_to_be_gone(const ProcessIdentity& process, const World& world) {
  return is_of_here(process, world) && world.process_has_ended(process.number, process.start);
}

bool is_known_to_run(const ProcessIdentity& process, const World& world) {
  return is_of_here(process, world) && world.start_of_process(process.number) == process.start;
}

namespace {

constexpr const char* claim_format = "gausscse-claim/1";

}  // namespace

void list_members(RecordOf<ClaimContent> auto& claim, auto& members) {
  members("worker", claim.worker);
  members("host", claim.process.host);
  members("process", claim.process.number, INT64_MIN);
  members("start", claim.process.start);
  members("boot", claim.process.boot);
  members("lease", claim.lease);
  members("counter", claim.counter);
}

std::string to_text(const ClaimContent& content) {
  ClaimContent written = content;
  written.process.host.resize(std::min<std::size_t>(written.process.host.size(), 255));
  std::string text = json_of(written, {{"format", claim_format}})
                         .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  GAUSSCSE_CHECK(text.size() < claim_bytes, "a claim of ", text.size(), " bytes");
  text.resize(claim_bytes - 1, ' ');
  return text + "\n";
}

std::optional<ClaimContent> parse_claim(std::string_view text) {
  try {
    const JsonDocument document = parse_strict_json(text, "claim");
    JsonFields fields(document, "claim");
    std::string format;
    fields("format", format);
    ClaimContent content;
    list_members(content, fields);
    const bool is_claim = format == claim_format && content.lease >= shortest_lease && content.lease <= longest_lease;
    return is_claim ? std::optional(content) : std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string random_worker_name() {
  std::random_device source;
  std::string name;
  for (unsigned bits = 0; name.size() < 32; bits >>= 4) {
    if (name.size() % 8 == 0) bits = source();
    name += "0123456789abcdef"[bits % 16];
  }
  return name;
}

}  // namespace gausscse
