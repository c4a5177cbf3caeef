import { array, boolean, integer, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { askAdmin } from '../accounts/ask-admin.ts'
import type { GatewayPlace } from '../accounts/gateway-place.ts'
import { oneLine } from '../output/visible.ts'
import { anyText, cut, exact } from './fields.ts'

/** The state of a gateway, as far as a tool tells it. */
export interface GatewayStatus {
  readonly phase: string
  /** The parts that do not work as configured, such as `store` or `network:mainnet`. */
  readonly degraded: readonly string[]
  /** Parts other than networks that have a reason. */
  readonly parts: readonly { readonly name: string; readonly reason: string }[]
  readonly networks: readonly NetworkStatus[]
  /** False if there are more upstreams than are told. */
  readonly complete: boolean
}

interface NetworkStatus {
  readonly name: string
  /** `ok`, `degraded` or `down`. */
  readonly state: string
  readonly upstreams: readonly UpstreamStatus[]
}

interface UpstreamStatus {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly isCordoned: boolean
  readonly head?: number
  readonly lag?: number
}

const upstream = exact('an upstream', {
  name: anyText,
  state: anyText,
  reason: optional(anyText),
  isCordoned: boolean,
  head: optional(integer('the number of its latest block', 0)),
  lag: optional(integer('blocks behind the others')),
})

export const gatewayStatus: Schema<GatewayStatus> = exact('the state of a gateway', {
  phase: anyText,
  degraded: array(anyText),
  parts: array(exact('a part', { name: anyText, reason: anyText })),
  networks: array(exact('a network', { name: anyText, state: anyText, upstreams: array(upstream) })),
  complete: boolean,
})

const mostUpstreams = 500
const otherParts = ['store', 'accounts', 'redis', 'cache', 'limits']

/** Asks a gateway for its state, or that of one network. Resolves with a sentence where there is none. */
export async function readStatus(
  place: GatewayPlace,
  network: string | undefined,
  signal: AbortSignal,
): Promise<GatewayStatus | { readonly fault: string }> {
  const query = network === undefined ? '' : `?network=${encodeURIComponent(network)}`
  const { status, body } = await askAdmin(place, 'GET', `/status${query}`, signal)
  if (status === 0) return { fault: body }
  const read = status === 200 ? parseStatus(body) : undefined
  if (read !== undefined) return read
  if (status === 404 && network !== undefined && body.includes('no such network')) {
    return { fault: 'there is no such network; upstreams without one lists all' }
  }
  return { fault: refusalOf(status, body, 'read or networks') }
}

/** Tells a refusal of an admin listener in its words, or what came instead of an answer. */
export function refusalOf(status: number, body: string, scopes: string): string {
  const line = body.trim()
  if (status === 401) {
    return `the gateway asks for an admin token: start wayleave mcp with $WAYLEAVE_ADMIN_TOKEN or --token-file FILE; it needs the scope ${scopes}`
  }
  if ([400, 403, 404].includes(status) && !/^[<{]|^$/.test(line)) return oneLine(line.slice(0, 300))
  return `expected an answer of a gateway, got HTTP status ${status}: --admin URL names its admin listener`
}

type Json = Readonly<Record<string, unknown>>

function parseStatus(body: string): GatewayStatus | undefined {
  try {
    const reported = JSON.parse(body) as Json
    const networks = Object.entries(reported['networks'] as Json)
    let room = mostUpstreams
    const read = networks.map(([name, value]) => {
      const { state, upstreams } = value as { readonly state: unknown; readonly upstreams: readonly Json[] }
      const some = upstreams.slice(0, room)
      room -= some.length
      return { name: textOf(name), state: textOf(state), upstreams: some.map(upstreamOf) }
    })
    const count = networks.reduce((all, [, value]) => all + (value as { upstreams: unknown[] }).upstreams.length, 0)
    return {
      phase: textOf(reported['phase']),
      degraded: (reported['degraded'] as readonly unknown[]).slice(0, mostUpstreams).map(textOf),
      parts: otherParts.flatMap((name) => {
        const reason = (reported[name] as Json | undefined)?.['reason']
        return reason === undefined ? [] : [{ name, reason: textOf(reason) }]
      }),
      networks: read,
      complete: count <= mostUpstreams,
    }
  } catch {
    return undefined
  }
}

function upstreamOf({ name, state, reason, out, head, lag }: Json): UpstreamStatus {
  return {
    name: textOf(name),
    state: textOf(state),
    ...(reason !== undefined && { reason: textOf(reason) }),
    isCordoned: out === 'cordoned',
    ...(Number.isSafeInteger(head) && { head: head as number }),
    ...(Number.isSafeInteger(lag) && { lag: lag as number }),
  }
}

/** @throws TypeError for anything but a text */
function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a text was expected')
  return cut(value)
}
