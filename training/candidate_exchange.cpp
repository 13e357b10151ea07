#include "training/candidate_exchange.hpp"

#include <stdexcept>

namespace gausscse {

std::int64_t gathered_bytes(const Trial& trial, std::int64_t roles, std::int64_t width) {
  constexpr auto float_bytes = static_cast<std::int64_t>(sizeof(float));
  return 2 * roles * trial.training.batch_size * width * float_bytes;
}

CandidateExchange exchange_of(const Trial& trial, std::int64_t roles, std::int64_t width, int ranks) {
  switch (trial.training.exchange) {
    case setting::Exchange::gather:
      return CandidateExchange::gather;
    case setting::Exchange::ring:
      return CandidateExchange::ring;
    case setting::Exchange::automatic:
      return ranks > 1 && trial.reproducibility == setting::Reproducibility::fast &&
                     gathered_bytes(trial, roles, width) > most_gathered_bytes
                 ? CandidateExchange::ring
                 : CandidateExchange::gather;
  }
  throw std::logic_error("no exchange of this number");
}

}  // namespace gausscse
