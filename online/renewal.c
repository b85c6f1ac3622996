#include "online/renewal.h"

#include <string.h>

#include "base/arena.h"

enum { REFUSALS_MOST = 8 }; /* that are answered by asking, in a run */

static bool same_text(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static bool same_certificate(const struct access *a, const struct access *b) {
    return same_text(a->identity.certificate, b->identity.certificate) && same_text(a->identity.key, b->identity.key);
}

static bool same_credentials(const struct access *a, const struct access *b) {
    return same_text(text_of(a->token), text_of(b->token)) && same_certificate(a, b);
}

/* A certificate belongs to a connection, so that another one needs another connection. */
static const char *adopt(struct client_session *session) {
    const struct client *client = session->client;
    bool same = same_certificate(&session->access, &client->renewed);
    session->access = client->renewed;
    session->renewals = client->renewals;
    if (same)
        return NULL;
    struct transport_session *other = client->transport->open(client->transport->state, &session->access.identity);
    if (!other)
        return "the connection cannot be set up with the plug-in's certificate";
    client->transport->close(session->transport);
    session->transport = other;
    return NULL;
}

/* Asks; under the lock. Credentials that have expired when they come are used all the same, and not asked for anew before
 * the server refuses them: clocks differ. */
static const char *ask(struct client *client) {
    struct access access = client->renewed;
    const char *problem = client->renew(client->renew_context, &access, client->arena);
    if (problem)
        return problem;
    if (access.expires_s <= client->clock->wall_s(client->clock->state))
        access.expires_s = 0;
    client->renewals += !same_credentials(&access, &client->renewed);
    client->renewed = access;
    return NULL;
}

const char *renewal_refresh(struct client_session *session) {
    struct client *client = session->client;
    const char *problem = NULL;
    if (!client->renew)
        return NULL;
    pthread_mutex_lock(&client->lock);
    int64_t expires = client->renewed.expires_s;
    if (expires != 0 && expires <= client->clock->wall_s(client->clock->state))
        problem = ask(client);
    if (problem)
        problem = arena_format(session->arena, "the credentials have expired: %s",
                               access_redact(&session->access, problem, session->arena));
    else if (session->renewals != client->renewals)
        problem = adopt(session);
    pthread_mutex_unlock(&client->lock);
    return problem;
}

bool renewal_after_refusal(struct client_session *session) {
    struct client *client = session->client;
    if (!client->renew)
        return false;
    pthread_mutex_lock(&client->lock);
    if (session->renewals == client->renewals && client->refusals < REFUSALS_MOST) {
        client->refusals++;
        ask(client);
    }
    bool renewed = session->renewals != client->renewals && !adopt(session);
    pthread_mutex_unlock(&client->lock);
    return renewed;
}
