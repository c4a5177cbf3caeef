import type { GasBlockRecord, GasPort, GasRecord } from '@wayleave/admin-api'
import { gweiFromWei } from '@wayleave/gas-fees'
import type { GasSource } from './service.ts'

/** A question of an operator for the gas fees of a network, or of all. */
export interface GasQuestion {
  readonly network?: string | undefined
}

/** The gas fees of a network; with its last blocks where it alone was asked for. */
export interface ReportedGas extends GasRecord {
  readonly history?: readonly GasBlockRecord[]
}

type Reported = Pick<GasSource, 'chainId' | 'networks' | 'source' | 'ledger' | 'promises'>

/** Tells the gas fees that this process follows at the moment. Asks no node, and keeps no source awake. */
export function reportGas(sources: readonly Reported[], { network }: GasQuestion): readonly ReportedGas[] {
  return sources.flatMap((source) => {
    const wanted = source.networks.filter((name) => network === undefined || name === network)
    if (wanted.length === 0) return []
    const record = recordOf(source)
    return record === undefined
      ? []
      : wanted.map((name) => ({
          ...record,
          network: name,
          ...(network !== undefined && { history: historyOf(source) }),
        }))
  })
}

function recordOf({ chainId, source, ledger, promises }: Reported): Omit<GasRecord, 'network'> | undefined {
  const reading = source.peek()
  const { since } = ledger
  if (reading?.state !== 'ready' || since === undefined) return undefined
  const { answer, ageMs } = reading
  const tallies = ledger.tallies()
  const judged = promises &&
    tallies && {
      low: { ...promises.low, ...tallies.low },
      medium: { ...promises.medium, ...tallies.medium },
      high: { ...promises.high, ...tallies.high },
    }
  return {
    chainId,
    blockNumber: answer.blockNumber,
    ageMs,
    suggested: answer.fees,
    ...(judged && { promises: judged }),
    since,
  }
}

function historyOf({ ledger }: Reported): readonly GasBlockRecord[] {
  return ledger.blocks.map(({ number, date, baseFeePerGas, offers: { low, medium, high } }) => ({
    blockNumber: number,
    at: date,
    baseFee: gweiFromWei(baseFeePerGas),
    low: gweiFromWei(low.maxFeePerGas),
    medium: gweiFromWei(medium.maxFeePerGas),
    high: gweiFromWei(high.maxFeePerGas),
  }))
}

/** Makes the port of operators. `ofWorkers` resolves with what each worker tells, undefined of one that gave no answer in time. */
export function gasPort(
  sources: () => readonly Reported[],
  ofWorkers: (question: GasQuestion) => Promise<readonly (readonly ReportedGas[] | undefined)[]> | undefined,
): GasPort {
  /** Each process follows for its own callers: of several that follow a network, the one that has for longest tells it. */
  async function ask(question: GasQuestion): Promise<readonly ReportedGas[]> {
    const reported = [reportGas(sources(), question), ...((await ofWorkers(question)) ?? [])].flatMap(
      (some) => some ?? [],
    )
    const longest = new Map<string, ReportedGas>()
    for (const each of reported) {
      const known = longest.get(each.network)
      if (known === undefined || each.since < known.since) longest.set(each.network, each)
    }
    return [...longest.values()]
  }

  return {
    list: () => ask({}),
    async find(network) {
      const [found] = await ask({ network })
      return found && { ...found, history: found.history ?? [] }
    },
  }
}
