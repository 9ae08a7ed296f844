// -T cs_6_6
uint compute(uint x, uint y)
{
    uint n = x & 255, steps = 0;
    LOOP while (n != 1 && n != 0 && steps < 100) {
        n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
        steps++;
    }
    LOOP do { steps += 2; y >>= 1; } while (y > 100);
    return steps;
}
