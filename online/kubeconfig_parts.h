/*
 * What the readers of a kubeconfig's entries share. Private to kubeconfig*.c.
 */
#ifndef ONLINE_KUBECONFIG_PARTS_H
#define ONLINE_KUBECONFIG_PARTS_H

#include "online/kubeconfig.h"

/* An entry of a list of a kubeconfig, and where it stands. */
struct kubeconfig_entry {
    const struct kubeconfig_file *file;
    const struct node *node; /* the map below `cluster`, `user` or `context`; NULL: there is none */
    const char *path;        /* "users[0].user" */
    struct arena *arena;
    struct diagnostics *diagnostics;
    bool *well; /* false from the first fault on */
};

/* Says what is wrong with a field; `field` NULL: with the entry. */
void kubeconfig_refuse(const struct kubeconfig_entry *entry, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of a field; NULL where it is absent, null, empty, or of another type, which is said. */
const char *kubeconfig_string(const struct kubeconfig_entry *entry, const char *field);
bool kubeconfig_bool(const struct kubeconfig_entry *entry, const char *field, bool otherwise);
const struct node *kubeconfig_node(const struct kubeconfig_entry *entry, const char *field, enum node_kind kind);
struct location kubeconfig_location(const struct kubeconfig_entry *entry, const char *field);

/* PEM from `FIELD-data` in base64, else from the file that `FIELD` names. */
struct text kubeconfig_pem(const struct kubeconfig_entry *entry, const char *field);
/* A path as the file means it. */
const char *kubeconfig_path(const struct kubeconfig_entry *entry, const char *path);

void kubeconfig_read_cluster(const struct kubeconfig_entry *entry, struct access *access);
void kubeconfig_read_user(const struct kubeconfig_entry *entry, struct access *access);

#endif
