// SPDX-License-Identifier: Apache-2.0
// The payload of node "add".
struct Number {
    uint value;
};
