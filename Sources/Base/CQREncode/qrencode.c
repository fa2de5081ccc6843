#include "linkspan_qrencode.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(QRcode_encodeData) F(QRcode_free)

LINKSPAN_LIBRARY("libqrencode.so.4", "libqrencode4", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)
