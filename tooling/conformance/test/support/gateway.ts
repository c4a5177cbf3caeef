import { createRollupNode, type DevNode } from '@wayleave/dev-node'
import {
  type Config,
  createLog,
  type GatewayOptions,
  realSurroundings,
  type RunningGateway,
  startGateway,
} from '@wayleave/gateway'
import { createHttpTransport } from '@wayleave/jsonrpc-core'

export const key = '5a1c0de75a1c0de75a1c0de75a1c0de7'
export const secret = 'b0a710ad5b0a710ad5b0a710ad5b0a71'

/**
 * A gateway on free ports that knows one project; it logs nothing, asks the first of upstreams that are alike, and follows heads only
 * where a network says so, so that nodes are asked what callers ask.
 */
function startTestGateway(
  config: Pick<Config, 'networks'> & Partial<Config>,
  options: GatewayOptions = {},
): Promise<RunningGateway> {
  return startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      projects: [{ name: 'conformance', keys: [{ key, secret }] }],
      ...config,
      networks: Object.fromEntries(
        Object.entries(config.networks).map(([name, network]) => [name, { followHeads: false, ...network }]),
      ),
    },
    {
      log: createLog({ level: 'silent' }),
      surroundings: { ...realSurroundings, random: () => 0 },
      ...options,
    },
  )
}

/** A gateway before both chains of a dev node, each over HTTP and WebSocket. */
export function startDevGateway({ networks }: DevNode): Promise<RunningGateway> {
  const { dev, 'rollup-dev': rollup } = networks
  const rollupNode = createRollupNode({
    l1: createHttpTransport({ url: dev.httpUrl }),
    l2: createHttpTransport({ url: rollup.httpUrl }),
  })
  return startTestGateway(
    {
      defaultNetwork: 'dev',
      networks: {
        dev: { kind: 'evm', chainId: dev.chainId, followHeads: true, upstreams: [{ url: dev.httpUrl, ws: dev.wsUrl }] },
        'rollup-dev': {
          kind: 'rollup',
          chainId: rollup.chainId,
          followHeads: true,
          upstreams: [{ url: rollup.httpUrl, ws: rollup.wsUrl }],
          rollupMode: 'sequencer',
        },
      },
    },
    { rollupNodes: { 'rollup-dev': rollupNode } },
  )
}

/** A gateway whose one network `net`, chain 1, has these upstreams. It keeps no answers, so that they are asked all that callers ask. */
export function startGatewayBefore(
  upstreams: readonly string[],
  config: Partial<Config> = {},
): Promise<RunningGateway> {
  return startTestGateway({ cache: false, networks: { net: { kind: 'evm', chainId: 1, upstreams } }, ...config })
}

export function httpUrl(gateway: RunningGateway, network?: string): string {
  return `${gateway.rpc}${network === undefined ? '' : `/${network}`}/v3/${key}`
}

export function wsUrl(gateway: RunningGateway, network?: string): string {
  return `${gateway.ws}${network === undefined ? '' : `/${network}`}/ws/v3/${key}`
}
