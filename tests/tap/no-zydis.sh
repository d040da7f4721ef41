#!/bin/sh
# Runs in place of the tests that compare the decoder with Zydis where libzydis is not installed.
echo '1..0 # SKIP libzydis is not installed: nothing to compare the decoder with'
