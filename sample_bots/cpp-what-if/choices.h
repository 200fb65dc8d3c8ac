// What the bot chooses, by what it is asked for.

#pragma once

#include "three_five_eight.pb.h"

// The answer to a turn, without its sequence number.
threefiveeight::v1::FromBot choose(const threefiveeight::v1::View& view, const threefiveeight::v1::Rules& rules);
