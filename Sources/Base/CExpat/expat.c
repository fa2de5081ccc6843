#include "linkspan_expat.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(XML_ErrorString) F(XML_GetCurrentByteCount) F(XML_GetCurrentByteIndex) F(XML_GetErrorCode) F(XML_Parse) \
  F(XML_ParserCreate) F(XML_ParserFree) F(XML_SetCharacterDataHandler) F(XML_SetElementHandler) \
  F(XML_SetSkippedEntityHandler) F(XML_SetStartDoctypeDeclHandler) F(XML_SetUserData) F(XML_StopParser)

LINKSPAN_LIBRARY("libexpat.so.1", "libexpat1", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)
