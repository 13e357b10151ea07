#include "dist/nccl/collectives.hpp"

#include "base/error.hpp"
#include "dist/collective_rates.hpp"
#include "dist/group_work.hpp"
#include "dist/nccl/device_collectives.hpp"

namespace gausscse {

namespace {

/// Seconds that a watch has for answers of other ranks before it ends the job: its message is to be printed first.
constexpr double time_of_watch = 10;

}  // namespace

std::unique_ptr<Collectives> make_nccl_collectives(ControlGroup& ranks, std::unique_ptr<Collectives> host,
                                                   at::Device device, double time_out) {
  GAUSSCSE_CHECK(device.is_cuda() && device.has_index(), "NCCL takes one GPU, not ", device);
  detail::check_nccl_version();
  check_agreement(ranks, "the NCCL library", "NCCL " + nccl_version());
  const std::string own_id = ranks.is_root() ? detail::new_nccl_id() : std::string();
  const std::string id = ranks.all_gather_text(own_id).front();
  detail::NcclLimits limits;
  limits.call = time_out + time_of_watch;
  auto collectives =
      std::make_unique<detail::NcclCollectives>(std::move(host), ranks.rank(), ranks.size(), device, id, limits);
  try_collectives(ranks, *collectives, device);
  return collectives;
}

std::string nccl_version() {
  return detail::nccl_version_text();
}

}  // namespace gausscse
