/* lib/serve/answer.c - requests and their answers. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"
#include "page_files.h"


/* The page may load its own script and style and send requests to its own origin, nothing else; no frame may hold it. */
#define POLICY                                                                                                                \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "           \
    "form-action 'none'; frame-ancestors 'none'"

static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>quern serve</title>\n<link rel=\"stylesheet\" href=\"serve.css\">\n"
    "<script src=\"serve.js\" defer></script>\n</head>\n<body>\n<noscript>This page needs its scripts.</noscript>\n"
    "<header id=\"head\"></header>\n<main id=\"main\" tabindex=\"-1\"></main>\n</body>\n</html>\n";

static const struct {
    const char *name, *value;
} headers[] = {
    { "Content-Security-Policy", POLICY }, { "X-Content-Type-Options", "nosniff" }, { "X-Frame-Options", "DENY" },
    { "Referrer-Policy", "no-referrer" }, { "Cache-Control", "no-store" }, { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
};

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *type, const char *text, size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(size, (void *)text, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result;

    if (!r)
        return MHD_NO;
    for (size_t i = 0; i < QN_ARRAY_LEN(headers); i++)
        MHD_add_response_header(r, headers[i].name, headers[i].value);
    MHD_add_response_header(r, "Content-Type", type);
    result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result reply_text(struct MHD_Connection *c, const char *type, const char *text)
{
    return reply(c, MHD_HTTP_OK, type, text, strlen(text));
}

static enum MHD_Result reply_json(struct MHD_Connection *c, unsigned status, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    enum MHD_Result result = text ? reply(c, status, "application/json", text, strlen(text)) : MHD_NO;

    json_decref(value);
    free(text);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    return reply_json(c, status, json_pack("{s:s}", "error", why));
}

/* ---- GET ---- */

static enum MHD_Result send_file(struct qn_serve *s, struct MHD_Connection *c)
{
    const char *name = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "name"), *why = NULL;
    char *text, version[17];
    json_t *value;
    size_t size;

    if (!name || !qn_serve_is_name(name))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "name: wanted the name of a C file, such as prog.c");
    text = qn_serve_read(s, name, QN_SERVE_TEXT_MAX, &size, &why);
    if (!text)
        return refuse(c, MHD_HTTP_NOT_FOUND, why);
    qn_serve_version(text, size, version);
    value = json_pack("{s:s,s:s,s:s}", "name", name, "text", text, "version", version);
    free(text);
    return reply_json(c, MHD_HTTP_OK, value);
}

static enum MHD_Result send_list(struct qn_serve *s, struct MHD_Connection *c)
{
    char *text = qn_serve_list(s);
    enum MHD_Result result = text ? reply_text(c, "application/json", text) : MHD_NO;

    free(text);
    return result;
}

/* Joins the pieces at the first call; later calls return the same text. */
static const char *join(char **whole, const char *first, const char *second, const char *third, const char *fourth)
{
    if (!*whole && asprintf(whole, "%s%s%s%s", first, second, third, fourth) < 0)
        *whole = NULL;
    return *whole ? *whole : "";
}

static enum MHD_Result get(struct qn_serve *s, struct MHD_Connection *c, const char *path)
{
    static char *script, *style;

    if (!strcmp(path, "/"))
        return reply_text(c, "text/html; charset=utf-8", page);
    if (!strcmp(path, "/serve.js"))
        return reply_text(c, "text/javascript; charset=utf-8", join(&script, "'use strict';\n", page_common, page_serve, "start();\n"));
    if (!strcmp(path, "/serve.css"))
        return reply_text(c, "text/css; charset=utf-8", join(&style, page_style, page_desk, "", ""));
    if (!strcmp(path, "/files"))
        return send_list(s, c);
    if (!strcmp(path, "/file"))
        return send_file(s, c);
    return refuse(c, MHD_HTTP_NOT_FOUND, "there is nothing of this name");
}

/* ---- POST ---- */

static enum MHD_Result save(struct qn_serve *s, struct qn_serve_request *r)
{
    json_t *all = json_loadb(r->body, r->size, JSON_REJECT_DUPLICATES, NULL);
    const char *name, *text, *known, *why;
    size_t size;
    char version[17];
    unsigned status;
    enum MHD_Result result;

    if (json_unpack(all, "{s:s,s:s%,s:s}", "name", &name, "text", &text, &size, "version", &known) || !qn_serve_is_name(name)
        || size > QN_SERVE_TEXT_MAX) {
        json_decref(all);
        return refuse(r->connection, MHD_HTTP_BAD_REQUEST, "wanted name, text and version of a C file of at most 256 KiB");
    }
    why = qn_serve_save(s, name, text, size, known, &status);
    qn_serve_version(text, size, version);
    result = why ? refuse(r->connection, status, why) : reply_json(r->connection, MHD_HTTP_OK, json_pack("{s:s}", "version", version));
    json_decref(all);
    return result;
}

static enum MHD_Result start_run(struct qn_serve *s, struct qn_serve_request *r)
{
    struct qn_serve_wanted w;
    const char *wrong = s->run ? "another run is going on" : NULL;
    unsigned status = MHD_HTTP_SERVICE_UNAVAILABLE;
    bool started;

    if (wrong)
        return refuse(r->connection, status, wrong);
    wrong = qn_serve_want(&w, r->body ? r->body : "", r->size);
    if (wrong)
        status = MHD_HTTP_BAD_REQUEST;
    started = !wrong && qn_serve_start(s, r, &w);
    qn_serve_forget_wanted(&w);
    return started ? MHD_YES : refuse(r->connection, status, wrong ? wrong : "no process can be started");
}

static enum MHD_Result end_run(struct qn_serve_request *r)
{
    if (!r->run->size)
        return refuse(r->connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "the run was ended, or its answer is too large");
    return reply(r->connection, MHD_HTTP_OK, "application/json", r->run->answer, r->run->size);
}

static enum MHD_Result post(struct qn_serve *s, struct qn_serve_request *r, const char *path)
{
    if (r->too_large)
        return refuse(r->connection, MHD_HTTP_CONTENT_TOO_LARGE, "the request is larger than 2 MiB");
    if (r->run)
        return end_run(r);
    if (!strcmp(path, "/save"))
        return save(s, r);
    if (!strcmp(path, "/run"))
        return start_run(s, r);
    return refuse(r->connection, MHD_HTTP_NOT_FOUND, "there is nothing of this name");
}

/* ---- receiving a request ---- */

/* A body that is too large is read to its end all the same: a client that is still sending does not look for an answer. */
static void take_body(struct qn_serve_request *r, const char *data, size_t size)
{
    char *longer = r->size + size > QN_SERVE_BODY_MAX ? NULL : realloc(r->body, r->size + size + 1);

    r->too_large |= !longer;
    if (r->too_large)
        return;
    memcpy(longer + r->size, data, size);
    r->body = longer;
    r->size += size;
    longer[r->size] = 0;
}

enum MHD_Result qn_serve_answer(void *server, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                                const char *data, size_t *size, void **request)
{
    struct qn_serve *s = server;
    struct qn_serve_request *r = *request;
    const char *why, *path;
    unsigned status;

    (void)version;
    path = qn_serve_guard(s, c, url, method, &status, &why);
    if (!path)
        return refuse(c, status, why);
    if (!r) {
        *request = r = calloc(1, sizeof *r);
        if (r)
            r->connection = c;
        return r ? MHD_YES : MHD_NO;
    }
    if (*size) {
        take_body(r, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return strcmp(method, "POST") ? get(s, c, path) : post(s, r, path);
}

void qn_serve_forget(void *server, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why)
{
    struct qn_serve_request *r = *request;

    (void)server, (void)c, (void)why;
    if (!r)
        return;
    if (r->run)
        free(r->run->answer);
    free(r->run);
    free(r->body);
    free(r);
    *request = NULL;
}
