import {
  hostOf,
  type NamedUpstream,
  namedUpstream,
  type NetworkConfig,
  type ReportingNetworkConfig,
  reportsChain,
} from '@wayleave/gateway'
import { systemClock } from '@wayleave/jsonrpc-core'
import { askUpstream, certificateEnd, type Reported, type ReportedClock } from './ask-upstream.ts'
import { checkPassThrough } from './check-pass-through.ts'
import { type Check, fail, type Finding, ok, warn } from './finding.ts'
import { ageText } from './age-text.ts'
import { remedies, remedyOf } from './remedies.ts'

/** Clocks that differ by no more count as equal, in ms: a `Date` header has whole seconds. */
const sameClockMs = 5_000
/** A node counts as behind if its newest block is both older and lower by more than this: ms and blocks. */
const behind = { ms: 30_000, blocks: 3 }
/** A newest block that is older is told, in ms. */
const staleMs = 600_000
/** A chain whose newest block is older has stopped, or has another clock. */
const lateMs = 60_000
const day = 86_400_000
/** A certificate that ends sooner is told, in days. */
const certificateDays = 14

/** The questions of a kind of network. */
interface Questions {
  readonly chain: string
  readonly head: readonly [string, readonly unknown[]]
  readonly syncing: string
  /** Asks for the state of the first blocks; undefined where every node has it. */
  readonly archive?: readonly [string, readonly unknown[]]
}

const ofEvm: Questions = {
  chain: 'eth_chainId',
  head: ['eth_getBlockByNumber', ['latest', false]],
  syncing: 'eth_syncing',
  archive: ['eth_getBalance', ['0x0000000000000000000000000000000000000000', '0x1']],
}
const questionsOf: Readonly<Record<ReportingNetworkConfig['kind'], Questions>> = {
  evm: ofEvm,
  rollup: ofEvm,
  starknet: {
    chain: 'starknet_chainId',
    head: ['starknet_getBlockWithTxHashes', ['latest']],
    syncing: 'starknet_syncing',
  },
}

/** The facts learnt of one upstream. */
interface Seen {
  readonly subject: string
  readonly findings: readonly Finding[]
  readonly chain: string | undefined
  readonly head: Head | undefined
  readonly hasArchive: boolean | undefined
  readonly clock: ReportedClock | undefined
}

interface Head {
  readonly number: number
  /** Unix time in ms. */
  readonly at: number
}

/** Creates the check of a network: each upstream by itself, then all beside each other. */
export function checkNetwork(slug: string, network: NetworkConfig): Check {
  if (!reportsChain(network)) return checkPassThrough(slug, network)
  return {
    subject: `network ${slug}`,
    async run(signal) {
      const seen = await Promise.all(
        network.upstreams.map((upstream, i) => checkUpstream(slug, network, namedUpstream(upstream, i), signal)),
      )
      const rollup = network.kind === 'rollup' && network.rollupNode !== undefined
      return [
        ...seen.flatMap(({ findings }) => findings),
        ...compareHeads(slug, network, seen),
        ...compareClocks(seen),
        ...(rollup ? await checkRollupNode(slug, network.rollupNode!, signal) : []),
      ]
    },
  }
}

async function checkUpstream(
  slug: string,
  network: ReportingNetworkConfig,
  upstream: NamedUpstream,
  signal: AbortSignal,
): Promise<Seen> {
  const subject = `upstream ${slug}/${upstream.name} (${hostOf(upstream.url)})`
  const questions = questionsOf[network.kind]
  const ask = (method: string, params: readonly unknown[] = []): Promise<Reported> =>
    askUpstream(upstream, method, params, signal)
  const [chain, head, syncing, archive, socket, ...ends] = await Promise.all([
    ask(questions.chain),
    ask(...questions.head),
    ask(questions.syncing),
    questions.archive && ask(...questions.archive),
    upstream.ws === undefined ? undefined : askUpstream({ ...upstream, url: upstream.ws }, questions.chain, [], signal),
    certificateEnd(upstream, signal),
    upstream.ws === undefined ? undefined : certificateEnd({ ...upstream, url: upstream.ws }, signal),
  ])
  const certificates = ends.flatMap((end) => (end === undefined ? [] : certificateFindings(subject, end)))
  const none = { subject, chain: undefined, head: undefined, hasArchive: undefined, clock: undefined }
  if ('fault' in chain) {
    const code = `upstream_${chain.fault}`
    return { ...none, findings: [fail(code, subject, chain.text, remedyOf(chain)), ...certificates] }
  }
  const reported = chainOf(chain.value)
  const expected = network.chainId === undefined ? undefined : chainOf(network.chainId)
  const findings: Finding[] = [...certificates]
  if (reported === undefined) {
    findings.push(
      fail('upstream_not_a_node', subject, `its answer to ${questions.chain} is no chain id`, remedies.not_a_node),
    )
  } else if (expected !== undefined && reported !== expected) {
    findings.push(
      fail(
        'chain_mismatch',
        subject,
        `it is a node of chain ${shownChain(reported)}, not of ${network.chainId}`,
        `give the URL of a node of ${network.chainId}, or mend networks.${slug}.chainId`,
      ),
    )
  }
  const newest = 'value' in head ? headOf(head.value) : undefined
  if (newest === undefined) {
    const text = 'fault' in head ? `no newest block: ${head.text}` : 'its newest block cannot be read'
    findings.push(fail('no_head', subject, text, 'wait until the node has synced, or see its log'))
  } else if (!('gas' in network) || typeof network.gas !== 'object' || !network.gas.blocksOnDemand) {
    findings.push(...ageFindings(subject, newest))
  }
  if ('value' in syncing && syncing.value !== false && syncing.value !== null) {
    findings.push(
      warn('syncing', subject, 'it is still syncing', 'wait until eth_syncing is false: until then it is left alone'),
    )
  }
  if (socket !== undefined && 'fault' in socket) {
    const usual = 'open its WebSocket API (geth --ws, and --ws.origins), or remove ws: subscriptions go another way'
    const { remedy = usual } = socket
    findings.push(fail('websocket', subject, `no WebSocket at ${hostOf(upstream.ws!)}: ${socket.text}`, remedy))
  } else if (socket !== undefined && chainOf(socket.value) !== reported) {
    const remedy = 'give ws and url of the same node'
    findings.push(
      fail('websocket_chain', subject, `its WebSocket at ${hostOf(upstream.ws!)} is of another chain`, remedy),
    )
  }
  if (findings.every(({ level }) => level === 'ok')) {
    const height = newest === undefined ? '' : `, block ${newest.number}`
    findings.unshift(
      ok('upstream', subject, `chain ${shownChain(reported!)}${height}${socket === undefined ? '' : ', WebSocket'}`),
    )
  }
  return {
    subject,
    findings,
    chain: reported,
    head: newest,
    hasArchive: archive && 'value' in archive,
    clock: chain.clock,
  }
}

function certificateFindings(subject: string, end: number): readonly Finding[] {
  const days = Math.floor((end - systemClock.date()) / day)
  if (days < 0) {
    return [fail('upstream_certificate', subject, `its certificate ended ${-days} days ago`, 'renew it at the node')]
  }
  if (days >= certificateDays) return []
  return [warn('upstream_certificate', subject, `its certificate ends in ${days} days`, 'renew it at the node')]
}

function ageFindings(subject: string, { at }: Head): readonly Finding[] {
  const age = systemClock.date() - at
  if (age > staleMs) {
    const remedy = 'see whether the node has peers and syncs; for a chain of blocks on demand, set gas.blocksOnDemand'
    return [warn('stale_head', subject, `its newest block is ${ageText(age)} old`, remedy)]
  }
  if (age > lateMs) {
    const remedy = 'if its blocks come all the same, set the clock of this machine by NTP (timedatectl set-ntp true)'
    return [warn('clock', subject, `its newest block is ${ageText(age)} old`, remedy)]
  }
  if (age < -sameClockMs * 3) {
    const remedy = 'set the clock of this machine by NTP (timedatectl set-ntp true)'
    return [warn('clock', subject, `its newest block is ${ageText(-age)} in the future`, remedy)]
  }
  return []
}

function compareHeads(slug: string, network: ReportingNetworkConfig, seen: readonly Seen[]): readonly Finding[] {
  const findings: Finding[] = []
  const chains = new Set(seen.flatMap(({ chain }) => chain ?? []))
  if (network.chainId === undefined && chains.size > 1) {
    const names = [...chains].map(shownChain).join(' and ')
    const remedy = `name the one that is meant in networks.${slug}.chainId, and give the others a network of their own`
    findings.push(fail('chains_differ', `network ${slug}`, `its upstreams are of chains ${names}`, remedy))
  }
  if (chains.size === 1) {
    const heads = seen.flatMap(({ subject, head }) => (head === undefined ? [] : [{ subject, ...head }]))
    const best = heads.reduce((a, b) => (b.number > a.number ? b : a), heads[0] ?? { subject: '', number: 0, at: 0 })
    for (const { subject, number, at } of heads) {
      if (best.number - number <= behind.blocks || best.at - at <= behind.ms) continue
      const text = `it is ${best.number - number} blocks (${ageText(best.at - at)}) behind ${best.subject}`
      findings.push(warn('behind', subject, text, 'see whether it has peers and syncs: until then it is left alone'))
    }
  }
  const asked = seen.filter(({ hasArchive, chain }) => hasArchive !== undefined && chain !== undefined)
  if (asked.length > 0 && asked.every(({ hasArchive }) => hasArchive === false)) {
    const text = 'none of its upstreams has the state of old blocks'
    const remedy =
      'add an archive node if callers ask for old state (eth_call, eth_getBalance at old blocks); else this is fine'
    findings.push(warn('no_archive', `network ${slug}`, text, remedy))
  }
  return findings
}

/** Blames the clock of this machine where most nodes differ from it alike, else that of the node. */
function compareClocks(seen: readonly Seen[]): readonly Finding[] {
  const skews = seen.flatMap(({ subject, clock }) =>
    clock === undefined ? [] : [{ subject, skew: clock.theirs - clock.ours }],
  )
  const off = skews.filter(({ skew }) => Math.abs(skew) > sameClockMs)
  const median = skews.map(({ skew }) => skew).toSorted((a, b) => a - b)[Math.floor((skews.length - 1) / 2)] ?? 0
  const isOurs = off.length > 1 && Math.abs(median) > sameClockMs
  return off.map(({ subject, skew }) => {
    const text = `its clock is ${ageText(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} that of this machine`
    const whose = isOurs ? 'of this machine' : 'of whichever of both is wrong'
    return warn('clock', subject, text, `set the clock ${whose} by NTP (timedatectl set-ntp true)`)
  })
}

async function checkRollupNode(slug: string, url: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const subject = `rollup node of ${slug} (${hostOf(url)})`
  const reported = await askUpstream({ url }, 'optimism_syncStatus', [], signal)
  if ('value' in reported) return [ok('rollup_node', subject, 'it answers optimism_syncStatus')]
  return [
    fail(
      'rollup_node',
      subject,
      reported.text,
      reported.remedy ?? 'start op-node, or mend rollupNode: its URL, not that of the execution node',
    ),
  ]
}

/** A chain id as one text, whatever it is written as. */
function chainOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  // The text of a Starknet chain fits into a felt.
  if (typeof value !== 'string' || value === '' || value.length > 66) return undefined
  if (/^0x[\da-f]{1,64}$/i.test(value)) return String(BigInt(value))
  if (value.length > 31) return undefined
  return String(BigInt(`0x${Buffer.from(value, 'latin1').toString('hex')}`))
}

function shownChain(chain: string): string {
  if (chain.length < 16) return chain
  const hex = BigInt(chain).toString(16)
  const text = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('latin1')
  return /^[\w-]+$/.test(text) ? text : chain
}

function headOf(value: unknown): Head | undefined {
  const { number, block_number: height = number, timestamp } = (value ?? {}) as Readonly<Record<string, unknown>>
  const head = { number: Number(height), at: Number(timestamp) * 1_000 }
  return height !== undefined && Number.isSafeInteger(head.number) && Number.isSafeInteger(head.at) ? head : undefined
}
