/*
 * Access from inside a pod: its service account's token, CA and namespace, and where the API server is.
 */
#ifndef ONLINE_INCLUSTER_H
#define ONLINE_INCLUSTER_H

#include "online/access.h"

#define INCLUSTER_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

/* `host`, `port`: KUBERNETES_SERVICE_HOST and _PORT; whether they are set says whether this is a pod. False: a file is not
 * there, or no such thing; a diagnostic says so. */
bool incluster_access(const char *host, const char *port, const char *folder, struct arena *arena,
                      struct access *access, struct diagnostics *diagnostics);

#endif
