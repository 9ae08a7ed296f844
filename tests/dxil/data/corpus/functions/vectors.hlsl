// -T lib_6_9
// A library that is to be linked: vectors as arguments, results and variables of the caller; a function that calls another.
RWByteAddressBuffer words : register(u0);
[noinline] export vector<float, 7> scaled(vector<float, 7> value, float factor)
{
    return value * factor;
}
export void change(inout vector<float, 7> things[3], uint which)
{
    things[which] = scaled(things[0], 2) + things[1];
    things[2][which] = 5;
}
[noinline] export void rotate(inout vector<uint, 3> value)
{
    value = value.yzx;
}
export uint first(vector<uint, 3> value, uint2 table[2])
{
    rotate(value);
    words.Store(0, value.x);
    return value.x + table[value.y & 1].y;
}
