/*
 * Subjects of a boundary: whom a decision is taken for (spec/analysis.md 2).
 */
#ifndef ANALYZER_VERIFY_SUBJECTS_H
#define ANALYZER_VERIFY_SUBJECTS_H

#include "analyzer/rules/subject.h"
#include "analyzer/snapshot.h"
#include "analyzer/verify/granted.h"

/* Where subjects come from, in the order of preference. */
enum subject_source { SUBJECT_POD, SUBJECT_LABELS, SUBJECT_INPUTS, SUBJECT_TEMPLATES, SUBJECT_CONFIG };

struct subject_list {
    enum subject_source source;
    struct subject *list;
    const char **names; /* "NAMESPACE/NAME"; NULL for subjects without a pod */
    size_t count;
    size_t described; /* how many, at the end, are pods as the config describes them */
};

struct subject_choice {
    const char *pod;    /* --pod NS/NAME, or NULL */
    const char *labels; /* --labels k=v,...; NULL: not given */
};

/* The subjects of a boundary. `granted` (NULL: no grants): each has a subject, that of the config with its label where no
 * pod carries it. NULL: the request is bad, and `problem` says why in one sentence. */
const struct subject_list *subjects_of(const struct boundary *boundary, const struct granted *granted,
                                       const struct snapshot *snapshot, const struct subject_choice *choice,
                                       struct arena *arena, const char **problem);

/* A pod or template of the inputs as a subject; what its namespace carries where that is known. */
struct subject subject_of_pod(const struct pod *pod, const struct snapshot *snapshot);
struct subject subject_of_labels(const char *namespace, struct labels labels, const struct snapshot *snapshot);

/* "k=v,k2=v2" as labels, sorted; the empty text is the empty set. False: no such list. */
bool labels_parse(const char *text, struct arena *arena, struct labels *labels);
/* NULL, or what is wrong with the first of them that no pod can carry. */
const char *labels_fault(const struct labels *labels, struct arena *arena);

#endif
