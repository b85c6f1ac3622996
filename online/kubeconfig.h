/*
 * Kubeconfigs: the files that say which clusters there are, who is who, and which of them is meant (spec/snapshot.md).
 *
 * Several files merge as kubectl merges them: the first that has a name in a list gives the whole entry, the first that
 * has a `current-context` gives that. Paths are relative to the file that they stand in. What is wrong is said with file,
 * line and field, and never with a value that may be secret.
 */
#ifndef ONLINE_KUBECONFIG_H
#define ONLINE_KUBECONFIG_H

#include "document/node.h"
#include "online/access.h"

struct kubeconfig_file {
    const char *name;   /* as shown */
    const char *folder; /* that its paths are relative to; "" for the current one */
    const struct node *root;
};

struct kubeconfig {
    struct kubeconfig_file *files;
    size_t count;
};

/* Where kubeconfigs are: `named` (of --kubeconfig), else the list of `$KUBECONFIG`, else ~/.kube/config. Files of the list
 * and the last one may be absent. False: one cannot be read or is none; diagnostics say so. `count` 0: there is none. */
bool kubeconfig_load(const char *named, const char *list, const char *home, struct arena *arena,
                     struct kubeconfig *config, struct diagnostics *diagnostics);

/* One kubeconfig in memory. */
bool kubeconfig_load_text(const char *name, const char *folder, struct text text, struct arena *arena,
                          struct kubeconfig *config, struct diagnostics *diagnostics);

/* The access that a context gives; NULL: the current one. Certificates and keys are read; plug-ins are not run. */
bool kubeconfig_access(const struct kubeconfig *config, const char *context, struct arena *arena, struct access *access,
                       struct diagnostics *diagnostics);

#endif
