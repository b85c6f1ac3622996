/*
 * The search for the first name of a term, breadth first over sets of pattern positions.
 *
 * All patterns of the term lie one after the other in one array of positions, those of the conditions first, a group a
 * union, then those of the exclusions. A state is the set of positions that a name has led to. Names are tried in order
 * of length and then of bytes, so the first that is accepted is the answer, and a state that was met before, or that
 * another one makes superfluous, need not be looked at again: the earlier name does all that the later one does.
 *
 * From a state all characters that none of its positions waits for lead to the same state, so only the first of them is
 * tried.
 */
#include <string.h>

#include "base/arena.h"
#include "ir/name_term.h"

/* Symbols of positions besides the characters of names. */
enum { SYMBOL_END = '\0', SYMBOL_STAR = '*', SYMBOL_LABELS = '/' /* one or more labels, then what follows */ };

/* Where in a name a state is: names have no empty labels. */
enum place { PLACE_START, PLACE_LABEL, PLACE_AFTER_DOT };

enum {
    NOBODY = 0,            /* no state, in tables of state numbers, which count from 1 */
    RIVALS_LARGEST = 64,   /* states of the same conditions that a new state is compared with */
    POSITIONS_A_UNIT = 64, /* states of more positions cost more than one of the effort */
    TABLE_FIRST = 256
};

static const char alphabet[] = "-.0123456789_abcdefghijklmnopqrstuvwxyz";

struct state {
    size_t first;          /* in the pool */
    uint32_t count;        /* positions, ascending */
    uint32_t conditions;   /* how many of them belong to conditions */
    uint32_t parent, next; /* numbers; `next` in its bucket of `rivals` */
    uint64_t hash, conditions_hash;
    enum place place;
    char via; /* the last character of its name */
};

struct search {
    struct arena *arena;
    const char *symbols; /* a position each */
    uint32_t *starts;    /* where groups begin; the exclusions are group number `groups` */
    uint32_t *initial;   /* first positions of all patterns */
    uint32_t initial_count, groups;
    uint32_t *pool;
    size_t pool_count, pool_capacity;
    struct state *states; /* number 1 is at 0 */
    size_t state_count, state_capacity;
    uint32_t *known, *rivals; /* open table of all states; buckets of those with the same conditions */
    size_t table_size;
    int64_t effort;
};

static size_t pattern_length(const struct name_pattern *pattern) {
    return strlen(pattern->text) + 1 + (pattern->kind == NAME_DEEP);
}

static size_t union_length(const struct name_union *patterns) {
    size_t length = 0;
    for (uint32_t i = 0; i < patterns->count; i++) {
        length += pattern_length(&patterns->patterns[i]);
    }
    return length;
}

static uint32_t lay_union(struct search *search, char *symbols, uint32_t at, const struct name_union *patterns) {
    for (uint32_t i = 0; i < patterns->count; i++) {
        const struct name_pattern *pattern = &patterns->patterns[i];
        search->initial[search->initial_count++] = at;
        if (pattern->kind == NAME_DEEP) {
            symbols[at++] = SYMBOL_LABELS;
        }
        size_t length = strlen(pattern->text) + 1;
        memcpy(symbols + at, pattern->text, length);
        at += (uint32_t)length;
    }
    return at;
}

static void lay_out(struct search *search, const struct name_term *term) {
    size_t length = union_length(&term->none_of), patterns = term->none_of.count;
    for (uint32_t i = 0; i < term->all_count; i++) {
        length += union_length(&term->all_of[i]);
        patterns += term->all_of[i].count;
    }
    char *symbols = arena_array(search->arena, length + 1, 1);
    search->initial = arena_array(search->arena, patterns + 1, sizeof *search->initial);
    search->starts = arena_array(search->arena, (size_t)term->all_count + 1, sizeof *search->starts);
    search->groups = term->all_count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < term->all_count; i++) {
        search->starts[i] = at;
        at = lay_union(search, symbols, at, &term->all_of[i]);
    }
    search->starts[search->groups] = at;
    lay_union(search, symbols, at, &term->none_of);
    search->symbols = symbols;
}

/* Adds a position to the ascending list that ends the pool; positions come nearly in order. */
static void add_one(struct search *search, size_t first, uint32_t position) {
    size_t at = search->pool_count;
    while (at > first && search->pool[at - 1] > position) {
        at--;
    }
    if (at > first && search->pool[at - 1] == position) {
        return;
    }
    memmove(search->pool + at + 1, search->pool + at, (search->pool_count - at) * sizeof *search->pool);
    search->pool[at] = position;
    search->pool_count++;
}

/* With what a star lets pass at once; runs of stars are single stars. */
static void add(struct search *search, size_t first, uint32_t position) {
    add_one(search, first, position);
    if (search->symbols[position] == SYMBOL_STAR) {
        add_one(search, first, position + 1);
    }
}

static void make_room(struct search *search, size_t positions) {
    search->pool = arena_grow(search->arena, search->pool, &search->pool_capacity, search->pool_count + positions,
                              sizeof *search->pool);
}

/* The positions after a further character, at the end of the pool. */
static void step(struct search *search, const struct state *from, char c) {
    size_t first = search->pool_count;
    make_room(search, 3 * (size_t)from->count + 3);
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t position = search->pool[from->first + i];
        char symbol = search->symbols[position];
        if (symbol == SYMBOL_LABELS) {
            add_one(search, first, position);
            if (c == '.') {
                add(search, first, position + 1);
            }
        } else if (symbol == SYMBOL_STAR) {
            if (c != '.') {
                add(search, first, position);
            }
        } else if (symbol == c) {
            add(search, first, position + 1);
        }
    }
}

/* Whether every condition still may be met, and whether the name that led here is in the term. */
static bool judge(const struct search *search, struct state *state, bool *accepted) {
    const uint32_t *positions = search->pool + state->first;
    uint32_t at = 0;
    *accepted = state->place != PLACE_AFTER_DOT;
    for (uint32_t group = 0; group < search->groups; group++) {
        bool alive = false, ended = false;
        for (; at < state->count && positions[at] < search->starts[group + 1]; at++) {
            alive = true;
            ended = ended || search->symbols[positions[at]] == SYMBOL_END;
        }
        if (!alive) {
            return false;
        }
        *accepted = *accepted && ended;
    }
    state->conditions = at;
    for (; at < state->count && *accepted; at++) {
        *accepted = search->symbols[positions[at]] != SYMBOL_END;
    }
    return true;
}

static uint64_t hash_positions(const uint32_t *positions, uint32_t count, uint64_t hash) {
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ positions[i]) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29;
    }
    return hash;
}

static void set_hashes(const struct search *search, struct state *state) {
    const uint32_t *positions = search->pool + state->first;
    state->conditions_hash = hash_positions(positions, state->conditions, (uint64_t)state->place + 1);
    state->hash =
        hash_positions(positions + state->conditions, state->count - state->conditions, state->conditions_hash);
}

static bool same_conditions(const struct search *search, const struct state *a, const struct state *b) {
    return a->place == b->place && a->conditions == b->conditions &&
           memcmp(search->pool + a->first, search->pool + b->first, a->conditions * sizeof *search->pool) == 0;
}

/* Whether the exclusions of `a` are among those of `b`: then `a` accepts all that `b` does. */
static bool excludes_no_more(const struct search *search, const struct state *a, const struct state *b) {
    const uint32_t *x = search->pool + a->first, *y = search->pool + b->first;
    uint32_t k = b->conditions;
    for (uint32_t i = a->conditions; i < a->count; i++) {
        while (k < b->count && y[k] < x[i]) {
            k++;
        }
        if (k == b->count || y[k] != x[i]) {
            return false;
        }
    }
    return true;
}

static bool is_superfluous(const struct search *search, const struct state *state) {
    size_t mask = search->table_size - 1;
    for (size_t slot = state->hash & mask; search->known[slot] != NOBODY; slot = (slot + 1) & mask) {
        const struct state *other = &search->states[search->known[slot] - 1];
        if (other->hash == state->hash && other->count == state->count && same_conditions(search, other, state) &&
            excludes_no_more(search, other, state)) {
            return true;
        }
    }
    uint32_t rival = search->rivals[state->conditions_hash & mask];
    for (int i = 0; rival != NOBODY && i < RIVALS_LARGEST; i++) {
        const struct state *other = &search->states[rival - 1];
        if (same_conditions(search, other, state) && excludes_no_more(search, other, state)) {
            return true;
        }
        rival = other->next;
    }
    return false;
}

static void enter(struct search *search, uint32_t number) {
    struct state *state = &search->states[number - 1];
    size_t mask = search->table_size - 1, slot = state->hash & mask;
    while (search->known[slot] != NOBODY) {
        slot = (slot + 1) & mask;
    }
    search->known[slot] = number;
    state->next = search->rivals[state->conditions_hash & mask];
    search->rivals[state->conditions_hash & mask] = number;
}

static void keep(struct search *search, const struct state *state) {
    search->states = arena_grow(search->arena, search->states, &search->state_capacity, search->state_count + 1,
                                sizeof *search->states);
    search->states[search->state_count++] = *state;
    if (2 * search->state_count > search->table_size) {
        search->table_size = search->table_size ? 2 * search->table_size : TABLE_FIRST;
        search->known = arena_array(search->arena, search->table_size, sizeof *search->known);
        search->rivals = arena_array(search->arena, search->table_size, sizeof *search->rivals);
        for (uint32_t i = 1; i < search->state_count; i++) {
            enter(search, i);
        }
    }
    enter(search, (uint32_t)search->state_count);
}

/* Takes the list at the end of the pool for a state. True: its name is in the term. */
static bool take(struct search *search, size_t first, uint32_t parent, char via, enum place place) {
    struct state state = {.first = first, .parent = parent, .via = via, .place = place};
    state.count = (uint32_t)(search->pool_count - first);
    search->effort -= 1 + state.count / POSITIONS_A_UNIT;
    bool accepted, alive = judge(search, &state, &accepted);
    set_hashes(search, &state);
    if (alive && (accepted || search->state_count == 0 || !is_superfluous(search, &state))) {
        keep(search, &state);
    } else {
        search->pool_count = first;
    }
    return alive && accepted;
}

static bool begin(struct search *search) {
    make_room(search, 2 * (size_t)search->initial_count + 1);
    for (uint32_t i = 0; i < search->initial_count; i++) {
        add(search, 0, search->initial[i]);
    }
    return take(search, 0, NOBODY, '\0', PLACE_START);
}

/* Tries all characters after the name of state `number`. True: the last kept state's name is in the term. */
static bool expand(struct search *search, uint32_t number) {
    struct state from = search->states[number - 1];
    bool awaited[128] = {false}, others = false;
    for (uint32_t i = 0; i < from.count; i++) {
        unsigned char symbol = (unsigned char)search->symbols[search->pool[from.first + i]];
        awaited[symbol < sizeof awaited ? symbol : SYMBOL_END] = true;
    }
    for (const char *c = alphabet; *c; c++) {
        if (*c == '.' ? from.place != PLACE_LABEL : others && !awaited[(unsigned char)*c]) {
            continue;
        }
        others = others || (*c != '.' && !awaited[(unsigned char)*c]);
        size_t first = search->pool_count;
        step(search, &from, *c);
        if (take(search, first, number, *c, *c == '.' ? PLACE_AFTER_DOT : PLACE_LABEL)) {
            return true;
        }
    }
    return false;
}

static size_t name_length(const struct search *search, uint32_t number) {
    size_t length = 0;
    for (; search->states[number - 1].parent != NOBODY; number = search->states[number - 1].parent) {
        length++;
    }
    return length;
}

static void spell(const struct search *search, uint32_t number, char *name, size_t length) {
    name[length] = '\0';
    for (; length > 0; number = search->states[number - 1].parent) {
        name[--length] = search->states[number - 1].via;
    }
}

/* The number of the state of the first name, or NOBODY. */
static uint32_t run(struct search *search) {
    if (begin(search)) {
        return 1;
    }
    for (uint32_t number = 1; number <= search->state_count && search->effort > 0; number++) {
        if (expand(search, number)) {
            return (uint32_t)search->state_count;
        }
    }
    return NOBODY;
}

const char *name_term_search(struct arena *arena, const struct name_term *term, int64_t *effort,
                             enum emptiness *emptiness) {
    /* The name outlives what the search needs, so the search has an arena of its own. */
    struct search search = {.arena = arena_create(), .effort = *effort};
    lay_out(&search, term);
    uint32_t number = *effort > 0 ? run(&search) : NOBODY;
    *emptiness = number != NOBODY ? SET_INHABITED : search.effort > 0 ? SET_EMPTY : SET_UNDECIDED;
    *effort = search.effort;
    char *name = NULL;
    if (number != NOBODY) {
        size_t length = name_length(&search, number);
        name = arena_array(arena, length + 1, 1);
        spell(&search, number, name, length);
    }
    arena_destroy(search.arena);
    return name;
}
