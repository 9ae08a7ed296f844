// SPDX-License-Identifier: Apache-2.0
// What the shaders of num_workgroups.cpp share.
#extension GL_EXT_buffer_reference : require

layout(buffer_reference, std430) buffer Words { uint v[]; };

layout(push_constant) uniform Arguments
{
    Words grid;    // of the indirect dispatch
    Words run;     // number of the run
    Words result;  // for each run: workgroups wanted, workgroups that ran, the most that one of them saw, the least
};

const uint kWords = 4u;
