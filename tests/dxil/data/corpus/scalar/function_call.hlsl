// -T cs_6_6
uint twice(uint v) { return v * 2 + 1; }
uint mixed(uint a, uint b) { return twice(a) ^ twice(b + 1); }
uint compute(uint x, uint y) { return mixed(x, y) + mixed(y, x); }
