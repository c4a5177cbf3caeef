/** A replay of the last calls against a changed configuration. */
export interface ReplayRecord {
  /** Calls that were remembered. */
  readonly calls: number
  /** Unix times in ms at which the first and the last of them began; absent without any. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The changes to the configuration that serves, in sentences. */
  readonly changes: readonly string[]
  /** Places of those that only a restart can make. */
  readonly needsRestart: readonly string[]
  /** Why the configuration cannot be served, in sentences: then nothing was replayed. Empty: it can. */
  readonly problems: readonly string[]
  /** Calls that it would refuse, by reason, the most frequent first. */
  readonly refused: readonly RefusedCalls[]
  /** Networks of which upstreams were asked. */
  readonly networks: readonly ReplayNetworkRecord[]
}

/**
 * Calls that would be refused: their network, project or key is no more, their project may not use the network, or not call the method. `what`
 * names the network, the method or the project.
 */
export interface RefusedCalls {
  readonly reason: 'network' | 'project' | 'project_network' | 'key' | 'method'
  readonly what: string
  readonly calls: number
}

/** The calls of one network, simulated under the configuration that serves, and under the changed one; absent where it has no such network. */
export interface ReplayNetworkRecord {
  readonly name: string
  readonly present?: ReplaySide | undefined
  readonly changed?: ReplaySide | undefined
}

export interface ReplaySide {
  readonly calls: number
  /** Calls that no upstream answered. */
  readonly failed: number
  /** The median and the 95th percentile of answered calls, in ms; absent without any. */
  readonly p50Ms?: number | undefined
  readonly p95Ms?: number | undefined
  /** Microseconds for each choice of an upstream. */
  readonly decisionUs: number
  /** Times that the operator's policy threw, or returned what it must not. */
  readonly policyFaults: number
  /** The first exception of the policy. */
  readonly thrown?: string | undefined
  readonly upstreams: readonly ReplayedUpstream[]
}

export interface ReplayedUpstream {
  readonly name: string
  /** Calls to it, retries and hedges included. */
  readonly asked: number
  /** Units that they cost, where it has a budget. */
  readonly units?: number | undefined
}

/** Replays the last calls of a gateway against its configuration file. */
export interface ReplayPort {
  run(): Promise<ReplayRecord>
}
