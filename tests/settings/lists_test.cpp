// SPDX-License-Identifier: Apache-2.0
#include "settings/lists.h"

#include <gtest/gtest.h>

namespace millrace::settings {

namespace {

using Problems = std::vector<std::string>;

TEST(Enable, EveryWordEnablesOneThing)
{
    for (std::string_view word : enableWords()) {
        Settings settings;
        Problems problems;
        readEnabled(word, settings, problems);
        EXPECT_EQ(enabledText(settings), word);
        EXPECT_TRUE(problems.empty());
    }
    EXPECT_EQ(enabledText({}), "");
}

TEST(Enable, UnknownWord_ToldWithWhatWasMeant_OthersCount)
{
    Settings settings;
    Problems problems;
    readEnabled("mesh_shader, mesh_nodes", settings, problems);
    EXPECT_EQ(enabledText(settings), "mesh_nodes");
    EXPECT_EQ(problems,
              (Problems{"setting enable: there is no \"mesh_shader\" to enable; did you mean \"mesh_shaders\"?"}));
}

TEST(Disable, EveryWordDisablesOnePart)
{
    for (std::string_view word : disableWords()) {
        Settings settings;
        Problems problems;
        readDisabled(word, settings, problems);
        EXPECT_EQ(disabledText(settings), word);
        EXPECT_TRUE(problems.empty());
    }
    EXPECT_EQ(disabledText({}), "");
}

TEST(Disable, BlanksAndEmptyElementsDoNotCount)
{
    Settings settings;
    Problems problems;
    readDisabled(" leaf ,, measuring,", settings, problems);
    EXPECT_EQ(disabledText(settings), "leaf, measuring");
    EXPECT_TRUE(problems.empty());
}

TEST(Disable, UnknownWord_ToldWithWhatWasMeant_OthersCount)
{
    Settings settings;
    Problems problems;
    readDisabled("leave,direct,everything", settings, problems);
    EXPECT_EQ(disabledText(settings), "direct");
    EXPECT_EQ(problems, (Problems{"setting disable: there is no \"leave\" to disable; did you mean \"leaf\"?",
                                  "setting disable: there is no \"everything\" to disable"}));
}

TEST(Traits, EveryTraitAtItsBounds)
{
    for (const runtime::Trait& trait : runtime::traitTable()) {
        if (trait.hasOwnSetting)
            continue;
        for (uint32_t value : {trait.least, trait.most}) {
            runtime::DeviceTraits traits;
            Problems problems;
            const std::string text = std::string(trait.key) + "=" + std::to_string(value);
            readTraits(text, traits, problems);
            EXPECT_EQ(traits.*trait.value, value);
            EXPECT_EQ(traitsText(traits), text);
            EXPECT_TRUE(problems.empty());
        }
    }
}

TEST(Traits, WhatCannotBeRead_ToldOneByOne_OthersCount)
{
    runtime::DeviceTraits traits;
    Problems problems;
    readTraits(
        "spin_us = 7, grid_group=1, max_scratch_mib=1, grid_groups=0, leaf_rows=4294967297, kept_bytes, "
        "static_invocations=48, chunk_groups=-1, ordered_bytes=1x",
        traits, problems);
    EXPECT_EQ(traitsText(traits), "spin_us=7");
    EXPECT_EQ(problems,
              (Problems{"setting traits: there is no trait \"grid_group\"; did you mean \"grid_groups\"?",
                        "setting traits: there is no trait \"max_scratch_mib\"",
                        "setting traits: grid_groups is \"0\", which is not from 1 to 65535",
                        "setting traits: leaf_rows is \"4294967297\", which is not from 1 to 1024",
                        "setting traits: \"kept_bytes\" is no \"TRAIT=NUMBER\"",
                        "setting traits: static_invocations is \"48\", which is not a power of two from 1 to 1024",
                        "setting traits: chunk_groups is \"-1\", which is not from 1 to 16",
                        "setting traits: ordered_bytes is \"1x\", which is not from 1 to 131068"}));
}

}  // namespace

}  // namespace millrace::settings
