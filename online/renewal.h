/*
 * Renewal: other credentials while a run lasts, as client-go asks plug-ins for them: where those at hand have expired, and
 * where the server does not take them (401). One worker asks, and all of them use what it was given. Private to the client.
 */
#ifndef ONLINE_RENEWAL_H
#define ONLINE_RENEWAL_H

#include "online/request.h"

/* Before a request: takes over what was given meanwhile, and asks where it has expired. NULL: well, or why not. */
const char *renewal_refresh(struct client_session *session);

/* After a 401: whether there are other credentials to try it with. */
bool renewal_after_refusal(struct client_session *session);

#endif
