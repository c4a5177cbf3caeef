import { optional } from '@wayleave/jsonrpc-core/schema'
import type { GatewayPlace } from '../accounts/gateway-place.ts'
import { alignCells } from '../output/align-cells.ts'
import { oneLine } from '../output/visible.ts'
import { exact, words } from './fields.ts'
import { type GatewayStatus, gatewayStatus, readStatus } from './read-status.ts'
import { createTool, type Tool } from './tool.ts'

type Upstream = GatewayStatus['networks'][number]['upstreams'][number]

/** Creates the tool that tells the state of networks and upstreams. */
export function createUpstreamsTool(place: GatewayPlace): Tool {
  return createTool({
    name: 'upstreams',
    title: 'Networks and upstreams',
    description:
      'Tells the state of a Wayleave gateway now: what is degraded, and for each network its upstreams (nodes) with head, lag and why one is left alone.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: exact('a question about upstreams', {
      network: optional(words('only this network', 256)),
    }),
    output: gatewayStatus,
    async run({ network }, signal) {
      const status = await readStatus(place, network, signal)
      return 'fault' in status ? status : { data: status, text: textOf(status) }
    },
  })
}

const columns = [
  { title: '  upstream' },
  { title: 'state' },
  { title: 'head', right: true },
  { title: 'lag', right: true },
  { title: 'reason' },
]

function textOf({ phase, degraded, parts, networks, complete }: GatewayStatus): string {
  const state = degraded.length === 0 ? `${phase}; nothing is degraded` : `${phase}; degraded: ${degraded.join(', ')}`
  return [
    oneLine(state),
    ...parts.map(({ name, reason }) => `${name}: ${oneLine(reason)}`),
    ...networks.flatMap(({ name, state: of, upstreams }) => [
      `network ${oneLine(name)}: ${oneLine(of)}`,
      ...(upstreams.length === 0 ? [] : alignCells(upstreams.map(cellsOf), columns)),
    ]),
    ...(complete ? [] : ['there are further upstreams: ask for one network']),
  ].join('\n')
}

function cellsOf({ name, state, reason = '', isCordoned, head, lag }: Upstream): readonly string[] {
  const reported = isCordoned ? 'cordoned' : state
  return [`  ${oneLine(name)}`, oneLine(reported), String(head ?? '-'), String(lag ?? '-'), oneLine(reason)]
}
