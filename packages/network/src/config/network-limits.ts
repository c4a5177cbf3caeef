/** The limits of a network and its callers that have a default of their own; a host may set others. */
export const networkLimits = {
  /** Longest answer of an upstream that is held whole, in bytes. */
  maxUpstreamBytes: 64 * 1024 * 1024,
  /** Most calls that an upstream is asked at once. */
  maxUpstreamCalls: 160,
  /** Most calls that wait for an upstream with room. */
  maxCalls: 10_000,
  /** Longest wait for an upstream with room, in ms: a caller who waits longer does better to come again. */
  maxQueueMs: 5_000,
  /** Most blocks of the range of an `eth_getLogs`. */
  maxLogBlocks: 100_000,
  /** Most blocks of such a range where an upstream is `proven`: their headers are read one by one. */
  maxProvenLogBlocks: 1_024,
  /** Longest logs of a long range in a batch or over a WebSocket, in bytes: they are held whole, and twice. */
  maxLogBytes: 25_000_000,
  /** Most filters of all networks of a process. */
  maxFilters: 10_000,
}
