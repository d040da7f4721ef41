/* lib/serve/guard.c - refuses requests that do not come from our own page.
 *
 * Another page in the same browser can send requests to 127.0.0.1, but does not know the token.  Even if it did, the browser tells us
 * its origin (Fetch standard, "Origin" and "Sec-Fetch-Site"), and sends a JSON body only after a preflight request, which we refuse
 * (CORS).  If a name of another host resolves to 127.0.0.1 (DNS rebinding), "Host" shows that name.
 */
#include <string.h>

#include "serve/serve.h"

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

struct counting {
    const char *name;
    unsigned count;
};

static enum MHD_Result count_one(void *data, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct counting *c = data;

    (void)kind, (void)value;
    c->count += !strcasecmp(key, c->name);
    return MHD_YES;
}

/* Of two headers of the same name only one would be checked. */
static bool is_said_once(struct MHD_Connection *c, const char *name)
{
    struct counting counting = { name, 0 };

    MHD_get_connection_values(c, MHD_HEADER_KIND, count_one, &counting);
    return counting.count == 1;
}

/* The comparison takes as long for a wrong token as for the right one. */
static bool has_token(const struct qn_serve *s, const char *url)
{
    size_t length = strlen(s->token);
    unsigned differ = 0;

    if (strlen(url) < length + 2 || url[0] != '/' || url[length + 1] != '/')
        return false;
    for (size_t i = 0; i < length; i++)
        differ |= (unsigned char)url[i + 1] ^ (unsigned char)s->token[i];
    return !differ;
}

static bool is_own_host(const struct qn_serve *s, struct MHD_Connection *c)
{
    const char *host = header(c, "Host");

    return host && !strcmp(host, s->host) && is_said_once(c, "Host");
}

/* Sec-Fetch-Site is "none" for the page that the user opens, "same-origin" for what that page requests.  A POST needs an Origin. */
static bool is_own_origin(const struct qn_serve *s, struct MHD_Connection *c, bool changes)
{
    const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");

    if (origin ? strcmp(origin, s->origin) || !is_said_once(c, "Origin") : changes)
        return false;
    return !site || !strcmp(site, "same-origin") || (!changes && !strcmp(site, "none"));
}

static bool is_json(struct MHD_Connection *c)
{
    const char *type = header(c, "Content-Type");

    return type && !strcmp(type, "application/json");
}

const char *qn_serve_guard(const struct qn_serve *s, struct MHD_Connection *c, const char *url, const char *method, unsigned *status,
                           const char **why)
{
    bool changes = !strcmp(method, "POST");

    *status = MHD_HTTP_FORBIDDEN;
    if (!is_own_host(s, c))
        return *why = "this address is not for another host's name", NULL;
    if (!is_own_origin(s, c, changes))
        return *why = "this is not for another origin", NULL;
    if (!has_token(s, url)) {
        *status = MHD_HTTP_NOT_FOUND;
        return *why = "there is nothing of this name", NULL;
    }
    *status = MHD_HTTP_METHOD_NOT_ALLOWED;
    if (!changes && strcmp(method, "GET"))
        return *why = "GET and POST only", NULL;
    *status = MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    if (changes && !is_json(c))
        return *why = "a body of application/json is wanted", NULL;
    return url + 1 + strlen(s->token);
}
