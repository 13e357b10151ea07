#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/nccl/device_collectives.hpp"
#include "tests/dist/nccl/nccl_test.hpp"
#include "tests/dist/nccl/pretended_device.hpp"

namespace gausscse {

using detail::NcclCollectives;
using pretended_device::on_device;

/// Collectives of the pretended device, whose events are done unless a test says otherwise.
class NcclCollectivesTest : public NcclTest {
 protected:
  NcclCollectivesTest() {
    pretended_device::set_events(true);
    pretended_device::take_log();
  }

  std::unique_ptr<NcclCollectives> start(detail::NcclLimits limits = {}) const {
    return std::make_unique<NcclCollectives>(make_mpi_collectives(), rank_, size_, pretended_device::device,
                                             shared_id(), limits);
  }
  std::unique_ptr<NcclCollectives> connect(detail::NcclLimits limits = {}) const {
    auto nccl = start(limits);
    // From the end of the first step on nothing is waited for.
    nccl->set_step(0);
    nccl->set_step(-1);
    return nccl;
  }
  std::vector<std::int64_t> uneven() const {
    std::vector<std::int64_t> counts;
    for (int r = 0; r < size_; ++r) counts.push_back(2 * r + 1);
    return counts;
  }
  static at::Tensor values(std::int64_t count, int rank, at::ScalarType type) {
    return at::arange(count, type) + 100 * rank;
  }
};

}  // namespace gausscse
