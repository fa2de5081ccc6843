#include "linkspan_zlib.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(compress) F(compress2) F(compressBound) F(crc32) F(deflate) F(deflateEnd) F(deflateInit2_) F(inflate) \
  F(inflateEnd) F(inflateInit2_) F(inflateReset) F(uncompress)

LINKSPAN_LIBRARY("libz.so.1", "zlib1g", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)
