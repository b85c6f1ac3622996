/*
 * Addresses that EndpointSlices tell: of Services without a selector, and of the API server (spec/analysis.md 1).
 */
#ifndef ANALYZER_RULES_API_SERVER_H
#define ANALYZER_RULES_API_SERVER_H

#include "analyzer/rules/reading.h"
#include "ir/address_set.h"

/* The addresses behind a Service, of all its slices among the inputs. */
struct address_set slice_addresses(const struct cluster *cluster, const char *namespace, const char *name);

/* The addresses behind default/kubernetes; nothing where the inputs do not tell. */
struct address_set api_server_addresses(const struct cluster *cluster);

#endif
