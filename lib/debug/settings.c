/* lib/debug/settings.c - what qn_debug_configure was told. */
#include "debug/internal.h"

struct qn_debug_settings qn_debug_settings;

void qn_debug_configure(const struct qn_debug_settings *settings)
{
    qn_debug_settings = *settings;
}
