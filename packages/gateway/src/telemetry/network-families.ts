/**
 * The metrics of networks, their calls and their upstreams, in the order of the print: kind, name and labels, meaning; of a gauge also how the
 * values of several processes become one. A row is all that a metric needs: `Metrics` has a family for each.
 */
export const networkFamilies = {
  calls: {
    counter: 'wayleave_calls_total{network,class,outcome,status}',
    help: 'Calls of callers, each of a batch and of a WebSocket as one, by the class of their method, their outcome and the HTTP status that they have alone (499: the caller left). Availability counts the outcomes upstream and gateway as bad; execution is an error that a node gave as the answer, such as a revert; caller is a call that nobody could serve; limited met a limit of its key, its project or the process',
  },
  callSeconds: {
    histogram: 'wayleave_call_seconds{network,class,status}',
    buckets: 'answer',
    help: 'Time from a call of a caller to the beginning of its answer, by the class of its method and the group of the HTTP status that it has alone: 2xx, 4xx (the caller left, a limit) or 5xx',
  },
  openCalls: {
    gauge: 'wayleave_open_calls{network}',
    across: 'sum',
    help: 'Calls of callers that have begun and have no answer yet',
  },
  oldestCallSeconds: {
    gauge: 'wayleave_oldest_call_seconds{network}',
    across: 'max',
    help: 'Time since the oldest of these calls began; 0 where none is open',
  },
  projectCalls: {
    counter: 'wayleave_project_calls_total{project,outcome}',
    help: 'Calls of callers by project and outcome. Projects of the configuration and the first metrics.maxProjects others have labels of their own until the process ends; all others are other',
  },
  projectCallSeconds: {
    histogram: 'wayleave_project_call_seconds{project}',
    buckets: 'project',
    help: 'Time from a call of a project to the beginning of its answer',
  },
  answers: {
    counter: 'wayleave_answers_total{network,status}',
    help: 'Answers to admitted requests and WebSocket replies by HTTP status, also a body that is no JSON (400); a reply to a call that failed has the status of its failure',
  },
  answerSeconds: {
    histogram: 'wayleave_answer_seconds{network}',
    buckets: 'answer',
    help: 'Time from a whole request to the beginning of its answer',
  },
  queueSeconds: {
    histogram: 'wayleave_queue_seconds{network}',
    buckets: 'queue',
    help: 'Time for which calls waited, if they did, for an upstream that had room for them',
  },
  upstreamFailures: {
    counter: 'wayleave_upstream_failures_total{network,endpoint,failure}',
    help: 'Calls that an upstream did not answer, by the kind of its failure: timeout, unreachable, internal, overloaded, false_answer, rate_limited, quota, unauthorized, method_missing, lagging, pruned or range_too_large',
  },
  upstreamUp: {
    gauge: 'wayleave_upstream_up{network,endpoint}',
    across: 'min',
    help: 'Whether an upstream is asked like the others: 1, or 0; of several processes, whether all do',
  },
  upstreamHead: {
    gauge: 'wayleave_upstream_head{network,endpoint}',
    across: 'max',
    help: 'Height of the last head that an upstream told',
  },
  upstreamLag: {
    gauge: 'wayleave_upstream_lag_blocks{network,endpoint}',
    across: 'max',
    help: 'Blocks that an upstream is behind those that agree',
  },
  upstreamBreaker: {
    gauge: 'wayleave_upstream_breaker{network,endpoint}',
    across: 'max',
    help: 'Circuit breaker of an upstream: 0 closed, 0.5 half open, 1 open',
  },
  upstreamUnitsSpent: {
    gauge: 'wayleave_upstream_units_spent{network,endpoint,period}',
    across: 'max',
    help: 'Units that an upstream with a budget has cost in this day or month, UTC',
  },
  upstreamUnitsBudget: {
    gauge: 'wayleave_upstream_units_budget{network,endpoint,period}',
    across: 'max',
    help: 'Units that the budget of an upstream allows in a day or month, UTC',
  },
  upstreamExclusion: {
    gauge: 'wayleave_upstream_exclusion{network,endpoint,reason}',
    across: 'max',
    help: '1 for the reason why an upstream is not asked like the others (cordoned, wrong_chain, behind, ahead, unasked, budget_spent, suspected, cooling_down, half_open, false_answers, rate_limited, quota_spent, unauthorized), 0 for those that it had before',
  },
  upstreamCalls: {
    counter: 'wayleave_upstream_calls_total{network,endpoint,purpose}',
    help: 'Calls to an upstream, by what they are for: caller; hedge, beside an attempt that takes long; consensus, to compare answers; stream, for subscribers; and fee, head and probe, the own ones of the gateway',
  },
  upstreamUnits: {
    counter: 'wayleave_upstream_units_total{network,endpoint,purpose}',
    help: 'Units of the budget of an upstream that calls have cost, by what they were for',
  },
  upstreamSeconds: {
    histogram: 'wayleave_upstream_seconds{network,endpoint}',
    buckets: 'answer',
    help: 'Time from a call to an upstream to the beginning of its answer; failures are not in it',
  },
  verifications: {
    counter: 'wayleave_verifications_total{network,endpoint,method,outcome}',
    help: 'Answers of an upstream endpoint that were verified, by method and outcome: proven, consistent, unverifiable or refused',
  },
  consensus: {
    counter: 'wayleave_consensus_total{network,outcome}',
    help: 'Calls whose answers of several upstreams were compared, by outcome: agreed; verified, head or disputed, by what decided a dispute; too_few; failed',
  },
  webSockets: { gauge: 'wayleave_websocket_connections{network}', across: 'sum', help: 'Open WebSocket connections' },
  rejectedCalls: {
    counter: 'wayleave_rejected_calls_total{network,code}',
    help: 'Calls, also those of batches, that no upstream answered, by the code of the RpcError; denied: the settings of their project do not allow them, or a limit',
  },
  refusals: {
    counter: 'wayleave_refusals_total{status}',
    help: 'Requests of all APIs that were refused before they became calls, by HTTP status: for their path, key, secret or method, their body, or limits.maxInFlight; 500 where the gateway failed',
  },
  denials: {
    counter: 'wayleave_denials_total{reason}',
    help: 'Requests, connections and calls that the settings of their project do not allow, by the list that they did not pass: network, source, origin, user_agent, method or address',
  },
  droppedConnections: {
    counter: 'wayleave_dropped_connections_total',
    help: 'Connections that were dropped because there were more than limits.maxConnections',
  },
  gasAnswers: {
    counter: 'wayleave_gas_answers_total{network,endpoint,status}',
    help: 'Answers of the gas API by endpoint and HTTP status, without refusals such as 401; network is empty where the path names none',
  },
  ipfsAnswers: {
    counter: 'wayleave_ipfs_answers_total{command,status}',
    help: 'Answers of the IPFS API by command and HTTP status, also refusals such as 401',
  },
  ipfsCollectionFailed: {
    gauge: 'wayleave_ipfs_collection_failed',
    across: 'max',
    help: '1 where the last collection of content that no project pins failed, and removed nothing; 0 where it did its work, or none has run; absent where the backend collects by itself',
  },
  gasAgeSeconds: {
    gauge: 'wayleave_gas_age_seconds{network}',
    across: 'max',
    help: 'How old the gas fees of a network were when somebody asked for them last',
  },
  degraded: {
    gauge: 'wayleave_degraded{what}',
    across: 'max',
    help: '1 where a part of the gateway does not work as configured (store, accounts, redis, cache, limits, ipfs, usage, workers, network:<slug>), NaN where nobody looked for a minute. A scrape asks no node: for networks and IPFS it is what the last /readyz or /status found',
  },
  certificateEnd: {
    gauge: 'wayleave_certificate_not_after_seconds',
    across: 'min',
    help: 'When the certificate of the listeners ends, in seconds since 1970; absent without listen.tls',
  },
  cacheAnswers: {
    counter: 'wayleave_cache_answers_total{network,class,outcome}',
    help: 'Calls that the cache may answer, by its outcome (hit, miss) and the class of the method',
  },
  cacheServedBytes: {
    counter: 'wayleave_cache_served_bytes_total{network,class}',
    help: 'Bytes of results that the cache gave',
  },
  cacheBytes: {
    gauge: 'wayleave_cache_bytes',
    across: 'sum',
    help: 'Bytes that the cache takes in memory; its bound is wayleave_cache_max_bytes',
  },
  cacheAnswerBytes: {
    gauge: 'wayleave_cache_answer_bytes{network}',
    across: 'sum',
    help: 'Bytes that the answers of a network take in the cache; what it takes for itself is not among them',
  },
  cacheMaxBytes: { gauge: 'wayleave_cache_max_bytes', across: 'sum', help: 'Most bytes that the cache may take' },
  cacheEntries: {
    gauge: 'wayleave_cache_entries{network}',
    across: 'sum',
    help: 'Answers that the cache has in memory',
  },
  cacheEvictions: {
    counter: 'wayleave_cache_evictions_total{network}',
    help: 'Answers that the cache gave up for want of room',
  },
  chainsReplaced: {
    counter: 'wayleave_chains_replaced_total{network}',
    help: 'Times that the nodes of a network had other final blocks than before, as one that came back with another chain: the cache forgets all of it',
  },
  workers: {
    gauge: 'wayleave_workers{state}',
    across: 'sum',
    help: 'Worker processes by state: starting, serving, draining; absent where one process serves alone',
  },
  workerRestarts: {
    counter: 'wayleave_worker_restarts_total',
    help: 'Worker processes that were started in the place of one that had ended; absent where one process serves alone',
  },
  eventStreams: { gauge: 'wayleave_event_streams{network}', across: 'sum', help: 'Open streams of server-sent events' },
  subscriptions: {
    gauge: 'wayleave_subscriptions{network,kind}',
    across: 'sum',
    help: 'Open subscriptions, over WebSocket and of server-sent events, by kind, such as newHeads or logs; other: a kind that only nodes know',
  },
  subscriptionEnds: {
    counter: 'wayleave_subscription_ends_total{network,kind,reason}',
    help: 'Subscriptions that ended without a wish of their caller, by kind and reason: gap, where events were lost, else the code of the RpcError. A WebSocket is closed with 1013 then',
  },
  streamRelays: {
    gauge: 'wayleave_stream_relays{network}',
    across: 'sum',
    help: 'Subscriptions of nodes that are passed on to all callers who want the same, such as newPendingTransactions',
  },
  filters: {
    gauge: 'wayleave_filters{network,project}',
    across: 'sum',
    help: 'Filters of callers by project, a long one as one for each KiB; one that is asked for through several processes counts in each',
  },
  webSocketCloses: {
    counter: 'wayleave_websocket_closes_total{network,code}',
    help: 'WebSocket connections that the gateway closed, by the code that was given (docs/errors.md): with 1013 events were lost, it was read too slowly, or too many bytes were held',
  },
} as const
