import { createLog, realSurroundings, startGateway } from '@wayleave/gateway'
import type { UpstreamOrder } from '@wayleave/upstream'
import { settle } from '../src/client-faults/settled.ts'
import type { Answer, TableClient } from './clients/table-client.ts'
import { plainClient } from './clients/plain.ts'
import type { Behaviour, Expected, Fault } from './fault.ts'
import { judge } from './judge.ts'
import { accountOf, type Kind, type Target, transactionOf } from './questions.ts'
import { TableNode } from './table-node.ts'

const settings = ['beside', 'alone'] as const
type Setting = (typeof settings)[number]

/** One client that asks one question, through a network of its own. */
interface Caller {
  readonly client: TableClient
  readonly kind: Kind
  readonly setting: Setting
  readonly network: string
  readonly target: Target
}

/** A way in which a fault of an upstream has reached a caller. */
export interface Miss {
  readonly client: string
  readonly kind: Kind
  readonly setting: Setting
  /** Without a full stop. */
  readonly sentence: string
}

const key = 'fa017ab1fa017ab1fa017ab1fa017ab1'
/** web3.py repeats calls four times, and waits out five deadlines. */
const patienceMs = 45_000
/** Nobody listens at this privileged port. */
const deadUrl = 'http://127.0.0.1:1'

/** The first upstream is asked first, also for transactions, whose sender would choose one. */
const inOrder: UpstreamOrder = (eligible) => eligible

/** Runs all clients' questions against an upstream with a fault, which stands before a healthy one, and alone. */
export async function runFault(fault: Fault, clients: readonly TableClient[]): Promise<readonly Miss[]> {
  const { behaviour, deadlineMs = 8_000 } = fault
  await using faulty = await TableNode.start(behaviour)
  await using healthy = await TableNode.start()
  const url = (node: TableNode): string => `http://127.0.0.1:${node.port}`
  const first = [urlOf(behaviour, faulty.port), ...(behaviour.isBesideDead === true ? [deadUrl] : [])]
  const upstreams: Readonly<Record<Setting, readonly string[]>> = { beside: [...first, url(healthy)], alone: first }
  const places = settings.flatMap((setting) =>
    clients.flatMap((client) => client.kinds.map((kind) => ({ client, kind, setting }))),
  )
  const networkOf = (place: number): string => `n${place}`
  await using gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      limits: { requestTimeoutMs: deadlineMs },
      // Calls of callers are counted.
      cache: false,
      projects: [{ name: 'table', keys: [{ key }] }],
      networks: Object.fromEntries(
        places.map(({ setting }, i) => [
          networkOf(i),
          { kind: 'evm', chainId: 1, upstreams: upstreams[setting], policy: inOrder },
        ]),
      ),
    },
    { log: createLog({ level: 'silent' }), surroundings: { ...realSurroundings, random: () => 0 } },
  )
  const callers = places.map((place, i): Caller => {
    const network = networkOf(i)
    // Small numbers are addresses of precompiled contracts.
    const number = 1_000 + i
    const target = {
      url: `${gateway.rpc}/${network}/v3/${key}`,
      ws: `${gateway.ws}/${network}/ws/v3/${key}`,
      account: accountOf(number),
      transaction: transactionOf(number),
    }
    return { ...place, network, target }
  })

  const isLate = behaviour.url === undefined && behaviour.chainId === undefined && behaviour.head === undefined
  await using warmer = plainClient()
  for (const { target } of callers) {
    const [answer] = await warmer.ask('read', { ...target, account: accountOf(999) })
    if (isLate && !('value' in answer!))
      throw new Error(`an upstream did not answer while it was well: ${answer?.message}`)
  }
  await faulty.behave(behaviour)
  if (behaviour.isEverywhere === true) await healthy.behave(behaviour)
  const answered = await Promise.all(callers.map((caller) => ask(caller)))
  return callers.flatMap((caller, i) => {
    const { client, kind, setting } = caller
    const sentences = [...answered[i]!(outcomesOf(fault, caller)), ...reachedOf(fault, caller, faulty, healthy)]
    return sentences.map((sentence) => ({ client: client.name, kind, setting, sentence }))
  })
}

function urlOf({ url, onMessage }: Behaviour, port: number): string {
  if (url !== undefined) return url(port)
  return `${onMessage === undefined ? 'http' : 'ws'}://127.0.0.1:${port}`
}

/** Asks, and resolves with a function that judges the answers by the outcomes that are right. */
async function ask({ client, kind, target }: Caller): Promise<(right: readonly Expected[]) => readonly string[]> {
  const settled = await settle(client.ask(kind, target), patienceMs)
  if (settled.how === 'hang') return () => [`no answer within ${patienceMs / 1_000} s`]
  if (settled.how === 'rejected') return () => [`the library broke: ${String(settled.why)}`]
  const answers = settled.value as readonly Answer[]
  return (right) => {
    const judged = right.map((expected) => judge(kind, target, expected, answers))
    return judged.some((sentences) => sentences.length === 0) ? [] : judged[0]!
  }
}

function outcomesOf(
  { beside = 'value', alone, aloneWrite = alone, movesOn = false }: Fault,
  { kind, setting }: Caller,
): readonly Expected[] {
  if (setting === 'alone') return [kind === 'write' ? aloneWrite : alone]
  return kind === 'write' && !movesOn ? [beside, alone] : [beside]
}

/** Looks whether a call reached the nodes that it had to reach, and a transaction each of them once at most, the only one twice. */
function reachedOf(fault: Fault, caller: Caller, faulty: TableNode, healthy: TableNode): readonly string[] {
  const { client, kind, setting, target } = caller
  const { asked = 'always' } = fault
  const subject = kind === 'write' ? target.transaction : target.account
  const timesAt = (node: TableNode): number => node.asked.filter((each) => each === subject).length
  const isRaw = fault.behaviour.onConnection !== undefined
  const sentences: string[] = []
  const most = kind === 'batch' ? 3 : kind === 'write' ? client.sends : 1
  // The only upstream is sent one again where a kept connection broke under it.
  const mostAtOne = setting === 'alone' ? 2 * most : most
  if (kind === 'write' && Math.max(timesAt(faulty), timesAt(healthy)) > mostAtOne)
    sentences.push('a node got a transaction too often')
  const isRepeated = fault.behaviour.isEverywhere === true && timesAt(faulty) + timesAt(healthy) > most
  if (isRepeated) sentences.push('a second upstream was asked')
  if (isRaw && faulty.badConnections === 0) sentences.push('the fault was not met')
  if (setting === 'beside' && !isRaw) {
    if (asked === 'always' && timesAt(faulty) === 0) sentences.push('the fault was not met')
    if (asked === 'never' && timesAt(faulty) > 0) sentences.push('the faulty upstream was asked')
  }
  return sentences
}
