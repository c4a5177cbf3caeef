import {
  integer,
  type Issue,
  type IssuePath,
  nonEmptyArray,
  oneOf,
  shown,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'
import type { ConsensusRules } from '@wayleave/upstream'
import { isDeterministic } from '../kinds/evm-comparison.ts'
import { elementsOf, type Members } from './issue-parts.ts'
import { isObject, name } from './schema-parts.ts'
import { nodesOf } from './same-nodes.ts'
import { exact, required, setting } from './setting.ts'
import { type UpstreamConfig, upstreamSchema } from './upstream-config.ts'

const participants = integer('a number of upstreams from 2 up', 2)

export const consensus = exact('{ methods }', {
  methods: required(nonEmptyArray(shown(name)), 'Methods whose answer is the same at every node.'),
  participants: setting(
    shown(participants),
    'Upstreams that are asked at once, and are to answer. Default 3, or as many as there are.',
  ),
  agreement: setting(
    shown(participants),
    'Equal answers that make the answer. Default: more than half of `participants`.',
  ),
  onDispute: setting(
    shown(oneOf('verified', 'head', 'error')),
    'The answer where too few are equal: one that was proven, that of an upstream which has the served head, or an error, which it is where there is no such answer, too.',
    'error',
  ),
})

/** Has several upstreams asked, whose answers are compared. */
export type ConsensusConfig = TypeOf<typeof consensus>

/** Fills in the numbers that a configuration leaves out, for so many nodes. */
export function consensusRules(config: ConsensusConfig, nodes: number): ConsensusRules {
  const { participants: asked = Math.min(3, nodes) } = config
  const { agreement = Math.floor(asked / 2) + 1, onDispute } = config
  return { participants: asked, agreement, onDispute }
}

/** Issues of the consensus of a network at `at` with its other members. Takes values of any shape. */
export function consensusIssues(network: unknown, at: IssuePath): readonly Issue[] {
  if (!isObject(network) || !isObject(network['consensus'])) return []
  const { consensus: config, followHeads, upstreams } = network
  const issues: Issue[] = []
  const refuse = (place: readonly (string | number)[], expected: string, received: string): void => {
    issues.push({ path: [...at, 'consensus', ...place], expected, received })
  }
  for (const [i, method] of elementsOf(config, 'methods').entries()) {
    if (typeof method !== 'string' || isDeterministic(method)) continue
    refuse(['methods', i], 'a method whose answer is the same at every node, such as eth_call', JSON.stringify(method))
  }
  const all = Array.isArray(upstreams) ? (upstreams as readonly unknown[]) : []
  const asked = all.filter((it) => !isObject(it) || it['private'] !== true)
  const count = asked.every(isUpstream) ? new Set(nodesOf(asked)).size : asked.length
  const open = `${count < asked.length ? 'nodes' : 'upstreams'}${asked.length < all.length ? ' that are not private' : ''}`
  const rules = consensusRules(config as unknown as ConsensusConfig, count)
  if (rules.participants > count || rules.participants < 2)
    refuse(
      ['participants'],
      `at least two ${open}, and no more participants than there are (${count})`,
      String(rules.participants),
    )
  else if (rules.agreement > rules.participants)
    refuse(['agreement'], `at most participants (${rules.participants})`, String(rules.agreement))
  if (followHeads === false)
    refuse([], 'followHeads beside it, as answers are compared at one block', 'followHeads: false')
  if (config['onDispute'] === 'verified' && !isProving(network))
    refuse(['onDispute'], 'verify: proven beside it, of the network or of an upstream', '"verified"')
  return issues
}

function isUpstream(value: unknown): value is string | UpstreamConfig {
  return upstreamSchema.check(value, '') === undefined
}

function isProving(network: Members): boolean {
  const levels = elementsOf(network, 'upstreams').map((it) => (isObject(it) ? it['verify'] : undefined))
  return network['verify'] === 'proven' || levels.includes('proven')
}
