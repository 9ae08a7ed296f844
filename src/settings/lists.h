// SPDX-License-Identifier: Apache-2.0
// Settings that are lists: `enable = mesh_shaders`, and for developers `disable = leaf, measuring` and `traits =
// grid_groups=8, spin_us=1`. Elements are separated by commas; blanks around them do not count. Of what cannot be read
// `problems` says which element, what is wrong with it and what was meant; the other elements count. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.h"

namespace millrace::settings {

// The words of `enable`: what Millrace provides if it is wanted.
std::vector<std::string_view> enableWords();
// The words of `disable`: parts of Millrace that can be switched off.
std::vector<std::string_view> disableWords();
// The names of `traits`: runtime::traitTable() without what has a setting of its own.
std::vector<std::string_view> traitNames();

void readEnabled(std::string_view text, Settings& settings, std::vector<std::string>& problems);
void readDisabled(std::string_view text, Settings& settings, std::vector<std::string>& problems);
void readTraits(std::string_view text, runtime::DeviceTraits& traits, std::vector<std::string>& problems);

// As they are read.
std::string enabledText(const Settings& settings);
std::string disabledText(const Settings& settings);
std::string traitsText(const runtime::DeviceTraits& traits);

}  // namespace millrace::settings
