/* lib/text/version.h - QN_VERSION, as --version and the files that quern writes have it. */
#ifndef QN_TEXT_VERSION_H
#define QN_TEXT_VERSION_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef PACKAGE_VERSION
#define QN_VERSION PACKAGE_VERSION
#else
#define QN_VERSION "0.1"
#endif

#endif
