#pragma once

#include <string>
#include <vector>

#include "config/trial/trial.hpp"
#include "config/trial/trial_identity.hpp"

namespace gausscse {

/// Returns the identity of a trial as 32 hexadecimal digits: XXH3-128 of its canonical configuration and of the content
/// of every file that it reads (`contents_of_inputs`), the backbone's included. Equal trials have equal identities
/// wherever their files lie.
std::string trial_identity(const Trial& trial, const std::vector<InputContent>& contents);

/// Returns a hash function that hashes each file once in the life of the object, and, by the user's cache, once for as
/// long as it does not change (see `cached_content_hash`). A plan is made by one of these, so that all of its trials
/// are of one moment; what a training has read is compared with it when a trial is committed.
ContentHash remembered_content_hash();

}  // namespace gausscse
