import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../two-nodes/nodes/free-ports.ts'
import { NodeProcess } from '../../two-nodes/nodes/node-process.ts'
import {
  type Burst,
  chainId,
  type ClockChain,
  type ClockChainOptions,
  contractAt,
  createClockChain,
  tickedTopic,
} from './clock-chain.ts'
import type { StreamChain } from './stream-chain.ts'

export interface ClockNodesOptions {
  /** A folder for the logs. */
  readonly folder: string
  readonly blockMs: number
  readonly logsPerBlock: number
  /** Nodes behind the gateway. Default 3. */
  readonly count?: number
  /** Blocks that there are at the start. Default 20. */
  readonly oldBlocks?: number
  /** Blocks that are made all at once. */
  readonly burst?: Burst
}

/** A {@link StreamChain} of simulated nodes, that knows itself what is true of it. */
export interface ClockNodes extends StreamChain {
  readonly chain: ClockChain
}

/** Time by which each node has a block later than the one before it, in ms. */
const laterMs = 15
const program = fileURLToPath(new URL('stream-node.ts', import.meta.url))

/** Starts simulated nodes of a chain that grows by the clock. A killed one returns with the whole chain, but without filters. */
export async function startClockNodes(options: ClockNodesOptions): Promise<ClockNodes> {
  const { folder, blockMs, logsPerBlock, count = 3, oldBlocks = 20, burst } = options
  const chainOptions: ClockChainOptions = {
    startedAt: Date.now() - oldBlocks * blockMs,
    blockMs,
    logsPerBlock,
    ...(burst !== undefined && { burst }),
  }
  const chain = createClockChain(chainOptions)
  const ports = await freePorts(2 * count)
  const nodes = Array.from({ length: count }, (_, i) => {
    const [http, ws] = [ports[2 * i]!, ports[2 * i + 1]!]
    const name = String.fromCodePoint('a'.codePointAt(0)! + i)
    return new NodeProcess({
      name,
      url: `http://127.0.0.1:${http}`,
      ws: `ws://127.0.0.1:${ws}`,
      command: process.execPath,
      args: [
        '--conditions=@wayleave/source',
        program,
        `${http}`,
        `${ws}`,
        JSON.stringify({ ...chainOptions, lateMs: i * laterMs }),
      ],
      logFile: join(folder, `${name}.log`),
    })
  })
  await Promise.all(nodes.map((node) => node.start()))
  return {
    chain,
    chainId,
    software: `${count} simulated nodes`,
    nodes,
    blockMs,
    // Every second block or so has such a log, some have several.
    filter: { address: contractAt(7), topics: [tickedTopic] },
    height: () => chain.heightAt(Date.now()),
    restarted: async () => {},
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.kill()))
    },
  }
}
