// SPDX-License-Identifier: Apache-2.0
// The same as mixed() in mixed_words.h.
uint mixed(uint hash, const uint word)
{
    hash = (hash ^ word) * 0x9e3779b1u;
    return hash ^ (hash >> 15);
}
