#!/bin/sh
# A "Run Script" build phase of an App Clip's target, after "Copy Bundle Resources" and before signing.
#
# Switch "Based on dependency analysis" off, and set ENABLE_USER_SCRIPT_SANDBOXING to NO: the phase changes the
# product's folder. LINKSPAN names the program where it is not in the PATH, or a wrapper that runs it in a container.
set -eu

"${LINKSPAN:-linkspan}" clip pack "$CODESIGNING_FOLDER_PATH" \
  --resources 'layouts/*.json' --fonts '*.ttf' --delete
