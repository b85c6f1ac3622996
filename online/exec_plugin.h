/*
 * Exec plug-ins: programs that print a credential (client.authentication.k8s.io, v1 and v1beta1).
 *
 * The program gets our environment, what the kubeconfig adds, and KUBERNETES_EXEC_INFO. It asks a person only where the
 * kubeconfig lets it and there is a terminal; else its standard input is empty and its messages are dropped, since they may
 * hold what is secret. It has `timeout_ms` to answer; then it and its children are killed.
 */
#ifndef ONLINE_EXEC_PLUGIN_H
#define ONLINE_EXEC_PLUGIN_H

#include "online/access.h"
#include "online/clock.h"

struct exec_plugin_options {
    unsigned timeout_ms;
    bool has_terminal;
    const struct clock *clock;
};

/* Runs the plug-in of the access, and puts the token, the certificate with its key, and when they expire into it. */
bool exec_plugin_run(struct access *access, const struct exec_plugin_options *options, struct arena *arena,
                     struct diagnostics *diagnostics);

/* The same of what a plug-in printed. */
bool exec_plugin_read(struct access *access, struct text printed, struct arena *arena, struct diagnostics *diagnostics);

#endif
