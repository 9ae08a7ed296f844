// What cells.mesh and the host know of a picture: cells of 8 x 8 pixels, each of 16 squares of 2 x 2.
#define CELLS 8
#define SQUARES 16
struct Cell {
    uint count;            // of squares that are there
    uint colors[SQUARES];  // red, green and, in the highest byte, whether it is culled
};
// Shaders that write make the third picture of a buffer from the second one.
#define SECOND (CELLS * CELLS)
#define THIRD (2 * CELLS * CELLS)
