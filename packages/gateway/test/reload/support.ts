import { type Config, createLog, realSurroundings, type RunningGateway, startGateway } from '@wayleave/gateway'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, type TestChain } from '../chain-node.ts'
import { frame, key, send } from '../support.ts'

/** Starts nodes of one chain, numbered from 1: that is their gas price. */
export async function startNodes(chain: TestChain, count: number): Promise<readonly ChainNode[]> {
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  for (const node of nodes) onTestFinished(() => node.close())
  return nodes
}

type Network = Config['networks'][string]

/** A network that follows the heads of these nodes, by WebSocket, too. */
export function networkOf(nodes: readonly ChainNode[], more: object = {}): Network {
  const upstreams = nodes.map(({ url, ws }) => ({ name: url, url, ws, probe: false }))
  return { kind: 'evm', chainId: 1, upstreams, ...more } as Network
}

export const projects: NonNullable<Config['projects']> = [{ name: 'open', keys: [{ key }] }]

export function configOf(networks: Config['networks'], more: Partial<Config> = {}): Config {
  return {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    defaultNetwork: 'mainnet',
    projects,
    networks,
    ...more,
  }
}

/** The real clock, which `leap` sets forward: timers that are due then run at once. */
export function leapingClock(): { readonly clock: Clock; leap(ms: number): void } {
  let ahead = 0
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>()
  const clock: Clock = {
    now: () => systemClock.now() + ahead,
    date: () => systemClock.date() + ahead,
    after(ms, run) {
      const stop = systemClock.after(ms, fire)
      const timer = { at: clock.now() + ms, fire }
      timers.add(timer)
      function end(): void {
        stop()
        timers.delete(timer)
      }
      function fire(): void {
        end()
        run()
      }
      return end
    },
  }
  return {
    clock,
    leap(ms) {
      ahead += ms
      for (const { at, fire } of [...timers].toSorted((a, b) => a.at - b.at)) if (at <= clock.now()) fire()
    },
  }
}

export async function startWith(config: Config, clock: Clock = systemClock): Promise<RunningGateway> {
  const surroundings = { ...realSurroundings, clock }
  const gateway = await startGateway(config, { log: createLog({ level: 'silent' }), surroundings })
  onTestFinished(() => gateway.close(0))
  return gateway
}

/** Calls a method over HTTP; gives the status, and the result or the error. */
export async function ask(gateway: RunningGateway, method: string, params: unknown = [], path = `/v3/${key}`) {
  const { status, body } = await send(gateway.rpc, path, { body: frame(method, params) })
  const { result, error } = body.startsWith('{') ? JSON.parse(body) : { result: undefined, error: body }
  return { status, result, error }
}
