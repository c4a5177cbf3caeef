import type {
  GasPort,
  GasRecord,
  LevelFees,
  MethodPort,
  PinVerification,
  PinVerificationPort,
  ReplayPort,
  ReplayRecord,
  StreamPort,
} from '@wayleave/admin-api'

const level: LevelFees = {
  suggestedMaxPriorityFeePerGas: '0.1',
  suggestedMaxFeePerGas: '1.6',
  minWaitTimeEstimate: 12_000,
  maxWaitTimeEstimate: 36_000,
}
const promise = { withinBlocks: 3, probability: 0.95, kept: 9, broken: 1, pending: 2 }

export const gasOfMainnet: GasRecord = {
  network: 'mainnet',
  chainId: 1,
  blockNumber: 20_000_000,
  ageMs: 1_500.5,
  suggested: {
    low: level,
    medium: level,
    high: level,
    estimatedBaseFee: '1.5',
    networkCongestion: 0.25,
    latestPriorityFeeRange: ['0', '3.25'],
    historicalPriorityFeeRange: ['0.000000001', '300'],
    historicalBaseFeeRange: ['1', '2'],
    priorityFeeTrend: 'level',
    baseFeeTrend: 'up',
    wayleave: { congestionBlocks: 499 },
  },
  promises: { low: promise, medium: promise, high: promise },
  since: 1_699_999_000_000,
}

/** The fees of one network. */
export const gas: GasPort = {
  list: async () => [gasOfMainnet],
  async find(network) {
    if (network !== 'mainnet') return undefined
    const block = { blockNumber: 20_000_000, at: 1_699_999_000_000, baseFee: '1.4', low: '1.5', medium: '2', high: '3' }
    return { ...gasOfMainnet, history: [block] }
  },
}

/** What callers of one network have open. */
export const streams: StreamPort = {
  list: async () => [
    {
      network: 'mainnet',
      sockets: 3,
      eventStreams: 1,
      kinds: [{ kind: 'newHeads', subscribers: 4 }],
      filters: [{ project: 'shop', count: 2 }],
      relays: 1,
    },
  ],
}

const side = {
  calls: 4,
  failed: 0,
  p50Ms: 12.5,
  p95Ms: 40,
  decisionUs: 2.5,
  policyFaults: 0,
  upstreams: [{ name: 'node-1', asked: 4, units: 80 }],
}

export const replayOfMainnet: ReplayRecord = {
  calls: 5,
  from: 1_699_999_000_000,
  to: 1_699_999_060_000,
  changes: ['networks.base is removed'],
  needsRestart: [],
  problems: [],
  refused: [{ reason: 'network', what: 'base', calls: 1 }],
  networks: [
    { name: 'mainnet', present: side, changed: side },
    { name: 'base', present: side },
  ],
}

export const replay: ReplayPort = { run: async () => replayOfMainnet }

export const methods: MethodPort = { openRpc: async (kind) => ({ openrpc: '1.3.2', info: { title: kind } }) }

/** A verification that has found a block, once it was begun. */
export function createVerification(): PinVerificationPort {
  let state: PinVerification | undefined
  const badBlocks = [{ cid: 'bafyb', pin: 'bafya', projects: ['shop'], reason: 'broken' }]
  return {
    start: () => (state = { state: 'running', startedAt: 1_700_000_000_000, blocks: 3, bytes: 700, bad: 1, badBlocks }),
    state: () => state,
  }
}
