/*
 * speedscope's own format: JSON with the functions once, and for each event a profile of samples. See stacks.h.
 *
 * A sample is a path, its weight the path's self cost. JavaScript's numbers are exact up to 2^53, so an event with a larger sum is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stacks/stacks.h"
#include "text/utf8.h"

#define EXACT_MAX (1ll << 53) /* IEEE 754 double: all integers up to here */

struct speedscope {
    struct qn_stacks_tree tree;
    struct qn_prof_writer *w;
    uint32_t *path;
};

/* Bytes that are not UTF-8 become U+FFFD. */
static void put_string(struct qn_prof_writer *w, const char *text)
{
    size_t left = strlen(text);
    char one[8];
    qn_prof_put_text(w, "\"");
    while (left) {
        size_t n = qn_text_utf8_length(text, left);
        memcpy(one, text, n ? n : 1);
        one[n ? n : 1] = '\0';
        if (!n)
            qn_prof_put_text(w, "\xef\xbf\xbd");
        else if ((unsigned char)*text < ' ')
            qn_prof_put_text(w, "\\ufffd"); /* a reader's names have control bytes escaped already */
        else {
            qn_prof_put_text(w, *text == '"' || *text == '\\' ? "\\" : "");
            qn_prof_put_text(w, one);
        }
        text += n ? n : 1;
        left -= n ? n : 1;
    }
    qn_prof_put_text(w, "\"");
}

static void put_frames(const struct speedscope *s)
{
    const struct qn_prof_calls *c = &s->tree.calls;
    char room[QN_TEXT_MAX];
    qn_prof_put_text(s->w, "\"shared\":{\"frames\":[");
    for (size_t i = 0; i < c->fn_count; i++) {
        qn_prof_put_text(s->w, i ? ",\n{\"name\":" : "\n{\"name\":");
        put_string(s->w, qn_prof_call_name(&c->fns[i], room, sizeof room));
        if (strcmp(c->fns[i].file, QN_PROF_NOT_KNOWN) != 0) {
            qn_prof_put_text(s->w, ",\"file\":");
            put_string(s->w, c->fns[i].file);
        }
        qn_prof_put_text(s->w, "}");
    }
    qn_prof_put_text(s->w, "]}");
}

/* The sum of an event; -1: too large. */
static int64_t sum_up(const struct speedscope *s, size_t event, struct qn_text_error *err)
{
    const struct qn_prof_calls *c = &s->tree.calls;
    int64_t sum = 0;
    for (size_t i = 0; i < c->node_count; i++)
        if (__builtin_add_overflow(sum, qn_prof_node_counts(c, i)[event], &sum) || sum > EXACT_MAX) {
            qn_text_fail(err, QN_TEXT_BAD, "%s is beyond 2^53: speedscope cannot add it up exactly", c->events[event]);
            return -1;
        }
    return sum;
}

static void put_samples(const struct speedscope *s, size_t event)
{
    const struct qn_stacks_tree *t = &s->tree;
    int any = 0;
    qn_prof_put_text(s->w, ",\"samples\":[");
    for (size_t i = 0; i < t->calls.node_count; i++) {
        uint32_t node = t->order[i];
        if (!qn_prof_node_counts(&t->calls, node)[event])
            continue;
        qn_prof_put_text(s->w, any ? ",\n[" : "\n[");
        any = 1;
        qn_stacks_path(t, node, s->path);
        for (uint32_t k = 0; k < t->depth[node]; k++) {
            qn_prof_put_text(s->w, k ? "," : "");
            qn_prof_put_number(s->w, s->path[k]);
        }
        qn_prof_put_text(s->w, "]");
    }
    any = 0;
    qn_prof_put_text(s->w, "],\"weights\":[");
    for (size_t i = 0; i < t->calls.node_count; i++) {
        int64_t count = qn_prof_node_counts(&t->calls, t->order[i])[event];
        if (!count)
            continue;
        qn_prof_put_text(s->w, any ? "," : "");
        any = 1;
        qn_prof_put_number(s->w, count);
    }
    qn_prof_put_text(s->w, "]}");
}

static void put_profile(const struct speedscope *s, size_t event, int64_t sum, int first)
{
    qn_prof_put_text(s->w, first ? "\n{\"type\":\"sampled\",\"name\":" : ",\n{\"type\":\"sampled\",\"name\":");
    put_string(s->w, s->tree.calls.events[event]);
    qn_prof_put_text(s->w, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":");
    qn_prof_put_number(s->w, sum);
    put_samples(s, event);
}

/* A profile for each event that was counted, at least for the first. */
static int put_profiles(const struct speedscope *s, int only, struct qn_text_error *err)
{
    int first = 1;
    qn_prof_put_text(s->w, ",\n\"profiles\":[");
    for (size_t i = 0; i < s->tree.calls.event_count; i++) {
        int64_t sum = only >= 0 && (size_t)only != i ? 0 : sum_up(s, i, err);
        if (sum < 0)
            return -1;
        if (sum == 0 && !(only >= 0 ? (size_t)only == i : i == 0))
            continue;
        put_profile(s, i, sum, first);
        first = 0;
    }
    qn_prof_put_text(s->w, "]");
    return 0;
}

enum qn_text_status qn_stacks_write_speedscope(const char *path, const char *event, const char *creator, struct qn_prof_writer *w,
                                               struct qn_text_error *err)
{
    struct speedscope s = {.w = w};
    int only = -1;
    if (qn_stacks_read(&s.tree, path, err) != QN_TEXT_OK)
        return err->status;
    s.path = QN_NEEDED(calloc(s.tree.deepest + (size_t)1, sizeof *s.path));
    if (!event || (only = qn_stacks_find_event(&s.tree, path, event, err)) >= 0) {
        qn_prof_put_text(w, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":");
        put_string(w, creator);
        qn_prof_put_text(w, ",\"name\":");
        put_string(w, s.tree.command);
        qn_prof_put_text(w, ",\"activeProfileIndex\":0,\n");
        put_frames(&s);
        if (put_profiles(&s, only, err) == 0)
            qn_prof_put_text(w, "}\n");
    }
    free(s.path);
    qn_stacks_free(&s.tree);
    return err->status;
}
