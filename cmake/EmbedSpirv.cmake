# cmake -DINPUT=x.spv -DOUTPUT=x.inc -P EmbedSpirv.cmake: SPIR-V as a list of C++ word literals.
file(READ ${INPUT} hex HEX)
# Little-endian bytes to words, eight to a line.
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
string(REGEX REPLACE "(...........)(...........)(...........)(...........)(...........)(...........)(...........)(...........)"
       "\\1\\2\\3\\4\\5\\6\\7\\8\n" words "${words}")
file(WRITE ${OUTPUT} "${words}\n")
