#include "demo/generator/lexicon.hpp"

namespace gausscse::lexicon {

namespace {

using Words = const std::string_view;

/// Excluded by whatever takes a waking mind, and by whatever takes a moving body.
constexpr Words awake[] = {"fast asleep", "sound asleep", "sleeping", "taking a nap", "unconscious"};
constexpr Words moving[] = {
    "fast asleep",          "sound asleep", "sleeping", "taking a nap", "lying motionless on the ground",
    "completely motionless"};
constexpr Words sleeping[] = {"wide awake", "running as fast as possible", "jumping up and down", "dancing",
                              "eating a large meal"};
constexpr Words sitting[] = {"standing up", "running as fast as possible", "jumping up and down", "walking around"};
constexpr Words standing[] = {"lying down", "sitting on the ground", "running as fast as possible",
                              "fast asleep in bed"};
constexpr Words animal_sleeping[] = {"wide awake", "running as fast as possible", "jumping up and down"};
constexpr Words silent[] = {"completely silent", "fast asleep", "perfectly quiet", "sleeping"};

constexpr Words ride[] = {"travelling on", "moving along on"};
constexpr Words play[] = {"making music with", "making sounds with", "using"};
constexpr Words eat[] = {"consuming", "having a bite of"};
constexpr Words read[] = {"looking at", "looking closely at"};
constexpr Words carry[] = {"transporting", "moving"};
constexpr Words wash[] = {"cleaning", "removing the dirt from"};
constexpr Words work_on[] = {"working on", "doing some work on"};
constexpr Words move[] = {"moving", "changing the position of"};
constexpr Words photograph[] = {"taking a picture of", "using a camera in front of"};
constexpr Words feed[] = {"giving food to", "looking after", "giving something to"};
constexpr Words buy[] = {"paying for", "spending money on", "acquiring"};
constexpr Words cook[] = {"preparing", "using heat to make"};
constexpr Words drive[] = {"operating", "in control of"};
constexpr Words climb[] = {"moving up", "making their way up"};
constexpr Words build[] = {"making", "putting together"};
constexpr Words write[] = {"working on", "putting down the words of"};
constexpr Words watch[] = {"looking at", "keeping their eyes on"};
constexpr Words chase[] = {"running after", "going after", "following"};
constexpr Words walk_dog[] = {"going for a walk with", "outside with"};
constexpr Words stroke[] = {"touching", "using a hand to touch"};
constexpr Words gnaw[] = {"biting", "using their teeth on"};
constexpr Words in_motion[] = {"moving", "in motion", "moving the body"};
constexpr Words on_foot[] = {"moving", "in motion", "moving along on foot"};
constexpr Words sound[] = {"making a sound", "making some kind of sound"};
constexpr Words in_the_water[] = {"in the water", "moving through the water"};
constexpr Words rest[] = {"resting", "not awake", "getting some rest"};
constexpr Words seated[] = {"not standing", "in a seated position"};
constexpr Words upright[] = {"not lying down", "in an upright position"};
constexpr Words phone[] = {"using a phone", "having a conversation", "using a communication device"};
constexpr Words nothing[] = {"doing something with", "busy with"};

constexpr Activity for_persons(std::string_view progressive, std::string_view passive, std::span<Words> generals,
                               std::uint32_t use, std::span<Words> contraries,
                               std::uint32_t settings = indoors | outdoors) {
  return {progressive, passive, generals, use, contraries, settings, true, false, false};
}
constexpr Activity for_adults(std::string_view progressive, std::string_view passive, std::span<Words> generals,
                              std::uint32_t use, std::span<Words> contraries,
                              std::uint32_t settings = indoors | outdoors) {
  return {progressive, passive, generals, use, contraries, settings, true, false, true};
}
constexpr Activity for_all(std::string_view progressive, std::string_view passive, std::span<Words> generals,
                           std::uint32_t use, std::span<Words> contraries,
                           std::uint32_t settings = indoors | outdoors) {
  return {progressive, passive, generals, use, contraries, settings, true, true, false};
}
constexpr Activity for_animals(std::string_view progressive, std::string_view passive, std::span<Words> generals,
                               std::uint32_t use, std::span<Words> contraries,
                               std::uint32_t settings = indoors | outdoors) {
  return {progressive, passive, generals, use, contraries, settings, false, true, false};
}

constexpr Activity all_activities[] = {
    for_persons("riding", "ridden", ride, rideable, awake, outdoors),
    for_persons("playing", "played", play, playable, awake),
    for_persons("eating", "eaten", eat, edible, awake),
    for_persons("reading", "read", read, readable, awake),
    for_persons("carrying", "carried", carry, portable, awake),
    for_persons("washing", "washed", wash, washable, awake, outdoors),
    for_adults("painting", "painted", work_on, paintable, awake, outdoors),
    for_adults("repairing", "repaired", work_on, repairable, awake),
    for_persons("pushing", "pushed", move, pushable, moving, outdoors),
    for_persons("pulling", "pulled", move, pushable, moving, outdoors),
    for_persons("throwing", "thrown", nothing, throwable, awake, outdoors),
    for_persons("catching", "caught", nothing, throwable, awake, outdoors),
    for_persons("kicking", "kicked", nothing, kickable, awake, outdoors),
    for_persons("photographing", "photographed", photograph, photogenic, awake, outdoors),
    for_persons("feeding", "fed", feed, feedable, awake, outdoors),
    for_persons("stroking", "stroked", stroke, feedable, awake, outdoors),
    for_adults("buying", "bought", buy, for_sale, awake),
    for_adults("cooking", "cooked", cook, cookable, awake),
    for_adults("driving", "driven", drive, drivable, awake, outdoors),
    for_persons("climbing", "climbed", climb, climbable, moving, outdoors),
    for_adults("building", "built", build, buildable, awake, outdoors),
    for_adults("writing", "written", write, writable, awake, indoors | outdoors),
    for_persons("holding", "held", nothing, holdable, awake),
    for_persons("watching", "watched", watch, watchable, awake, outdoors),
    for_persons("walking", "walked", walk_dog, walkable, moving, outdoors),
    for_animals("chasing", "chased", chase, chaseable, moving, outdoors),
    for_animals("gnawing on", "gnawed on", gnaw, gnawable, awake),
    for_all("running", "", on_foot, 0, moving),
    for_all("jumping", "", in_motion, 0, moving),
    for_all("walking", "", on_foot, 0, moving),
    for_all("swimming", "", in_the_water, 0, moving, in_water),
    for_animals("lying asleep", "", rest, 0, animal_sleeping),
    for_animals("playing", "", in_motion, 0, moving),
    for_persons("dancing", "", in_motion, 0, moving),
    for_persons("singing", "", sound, 0, silent),
    for_persons("laughing", "", sound, 0, silent),
    for_persons("sleeping", "", rest, 0, sleeping),
    for_persons("sitting", "", seated, 0, sitting),
    for_persons("standing", "", upright, 0, standing),
    for_persons("talking on a phone", "", phone, 0, awake),
};

}  // namespace

std::span<const Activity> activities() {
  return all_activities;
}

}  // namespace gausscse::lexicon
