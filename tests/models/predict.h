/* tests/models/predict.h - what the predictors' models share. */
#ifndef PREDICT_H
#define PREDICT_H

#include "model.h"

/* A list of what is known, by key. */
struct node {
    struct node *next;
    uint64_t key;
    int state;
    uint64_t value;
};

struct node *at(struct node **list, uint64_t key);
bool says(const struct node *n, int half); /* of a counter */
void move(struct node *n, bool up, int top);
bool counter(struct node **list, uint64_t key, bool taken);
uint64_t two_to(uint64_t bits);

/* Outcomes, the first ever in front. */
struct past {
    char *taken;
    size_t n, room;
};

extern struct past past; /* of all branches */
bool before(const struct past *p, size_t i);
uint64_t recent(const struct past *p, unsigned n);
void append(struct past *p, bool taken);

/* hybrid.c: false if there is no such predictor; else what it says.  It learns at once. */
bool predict_tage06(uint64_t pc, bool taken); /* tagged.c: what it says */
bool predict_ittage(uint64_t pc, uint64_t target); /* true: mispredicted */
bool predict_tagescl(uint64_t pc, bool taken); /* newest.c */
bool predict_btb2(uint64_t pc, uint64_t target);
bool predict_hybrid(const char *name, uint64_t pc, bool taken, bool *said);

#endif
