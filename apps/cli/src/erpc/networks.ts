import type { EvmNetworkConfig } from '@wayleave/gateway'
import { printDuration, readDuration, readPatterns } from './go-values.ts'
import type { Cursor } from './ledger.ts'

/** The settings of a chain in eRPC that are those of a network. */
type ChainSettings = Pick<EvmNetworkConfig, 'timeouts' | 'consensus' | 'broadcast'>

/** A network of an eRPC project. */
export interface ErpcNetwork {
  readonly chainId: number
  readonly alias: string | undefined
  readonly place: Cursor
  /** Reads its settings, for a network of so many upstreams. */
  settings(upstreams: number): ChainSettings
}

/** Reads the networks of a project; those that are not of EVM are left. */
export function readNetworks(project: Cursor): readonly ErpcNetwork[] {
  const defaults = project.get('networkDefaults')
  return (project.get('networks')?.items() ?? []).flatMap((network) => {
    const architecture = network.get('architecture')?.text() ?? 'evm'
    const chainId = network.get('evm')?.get('chainId')?.number()
    if (architecture !== 'evm' || chainId === undefined) {
      network.leave(
        architecture === 'evm' ? 'it has no evm.chainId that is a number' : 'networks are of EVM or of Starknet here',
      )
      return []
    }
    const failsafe = network.get('failsafe') ?? defaults?.get('failsafe')
    const settings = (upstreams: number): ChainSettings => readFailsafe(failsafe, upstreams)
    return [{ chainId, alias: network.get('alias')?.text(), place: network, settings }]
  })
}

function readFailsafe(failsafe: Cursor | undefined, upstreams: number): ChainSettings {
  const policies = failsafe?.items() ?? []
  const byMethod: Record<string, string> = {}
  let wait: string | undefined
  let consensus: EvmNetworkConfig['consensus']
  let broadcast: number | undefined
  for (const policy of policies) {
    const pattern = policy.get('matchMethod')
    const all = pattern === undefined || pattern.value === '*'
    const names = all ? [] : readPatterns(String(pattern.value))
    const [timeout, agreed] = [policy.get('timeout'), policy.get('consensus')]
    if (names === undefined) {
      policy.leave('methods are named as a whole, or by a prefix and *')
      continue
    }
    if (policy.get('matchFinality') !== undefined) {
      policy.leave('settings hold for blocks of every finality')
      continue
    }
    pattern?.use()
    const ms = readDuration(timeout?.get('duration'))
    if (ms !== undefined && all) wait ??= printDuration(ms)
    for (const name of ms === undefined ? [] : names) byMethod[name] ??= printDuration(ms!)
    if (agreed === undefined) continue
    if (names.length === 1 && names[0] === 'eth_sendRawTransaction') {
      broadcast = Math.min(upstreams, agreed.get('maxParticipants')?.number() ?? upstreams)
      agreed.use()
      agreed.remark('it is `broadcast`: so many upstreams get a transaction at once, the first success is the answer')
    } else if (consensus === undefined) consensus = readConsensus(agreed, all ? undefined : names, upstreams)
    else agreed.leave('a network has one `consensus`: add the methods to it')
  }
  const timeouts = {
    ...(wait !== undefined && { default: wait }),
    ...(Object.keys(byMethod).length > 0 && { byMethod }),
  }
  return {
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
    ...(consensus && { consensus }),
    ...(broadcast !== undefined && broadcast > 1 && { broadcast }),
  }
}

/** Reads without a head or a moment in them, which are the same at every node; what others are compared by differs. */
const comparable = new Set([
  'eth_call',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getCode',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

const onDispute: Readonly<Record<string, 'head' | 'error'>> = {
  returnError: 'error',
  preferBlockHeadLeader: 'head',
  onlyBlockHeadLeader: 'head',
}

function readConsensus(
  policy: Cursor,
  names: readonly string[] | undefined,
  upstreams: number,
): EvmNetworkConfig['consensus'] {
  const methods = (names ?? []).filter((name) => comparable.has(name))
  if (methods.length === 0) {
    policy.leave(
      names === undefined
        ? '`consensus.methods` names methods, such as eth_call: list those that matter'
        : 'nodes answer these methods differently at the same time, so their answers are not compared',
    )
    return undefined
  }
  if (upstreams < 2) {
    policy.leave('it takes two upstreams')
    return undefined
  }
  if (methods.length < names!.length)
    policy.remark(`it holds for ${methods.join(', ')} alone: others differ from node to node`)
  const asked = Math.min(upstreams, Math.max(2, policy.get('maxParticipants')?.number() ?? upstreams))
  const agreement = policy.get('agreementThreshold')?.number()
  const dispute = policy.get('disputeBehavior')
  const fewer = policy.get('lowParticipantsBehavior')
  dispute?.use()
  if (fewer?.value === 'returnError') fewer.use()
  const answer = onDispute[String(dispute?.value)]
  if (dispute !== undefined && answer === undefined)
    dispute.remark('a dispute is an error; `onDispute` has other answers')
  return {
    methods,
    participants: asked,
    ...(agreement !== undefined && { agreement: Math.min(asked, Math.max(2, agreement)) }),
    ...(answer !== undefined && { onDispute: answer }),
  }
}
