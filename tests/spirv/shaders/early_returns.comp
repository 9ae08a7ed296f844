#version 460
layout(local_size_x = 8) in;
layout(binding = 0) buffer Values { uint v[]; };

uint find(const uint wanted)
{
    for (uint i = 0u; i < 100u; i++) {
        if (v[i] == wanted)
            return i;
        if (v[i] == 2u * wanted) {
            v[5] = 3u;
            return 7u;
        }
    }
    return 100u;
}

uint wait(const uint i)
{
    while (true) {
        if (v[i] == 3u)
            return 1u;
        v[i]++;
    }
    return 5u;
}

uint choose(const uint i)
{
    switch (i) {
        case 0u:
            return 1u;
        case 1u:
            if (v[2] == 1u)
                return 5u;
            break;
        default:
            return 7u;
    }
    return find(i) + wait(i);
}

void main()
{
    v[gl_LocalInvocationIndex] = choose(gl_LocalInvocationIndex) + find(3u);
}
