import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../src/peers/peer.ts'
import { askNode } from './ask-node.ts'
import { createProgress, type TestChain } from './chain.ts'
import { buildBlocks, type EngineNode } from './engine.ts'
import { freePorts } from './free-ports.ts'
import { genesisAt, gethChainId } from './genesis.ts'
import { gethVersion } from './geth-programs.ts'
import { NodeProcess } from './node-process.ts'

export interface GethChainOptions {
  /** The path of geth. */
  readonly geth: string
  /** A folder for the chains, the logs and the secret. */
  readonly folder: string
  readonly blockMs: number
}

/**
 * Blocks before anything is hurt. A geth that is killed among its first blocks takes its chain for an unfinished snap sync, which on so
 * short a chain never ends; later it returns at block 0 and syncs fully.
 */
const oldBlocks = 160

/** Two geths of one chain that nobody makes longer yet. */
export interface Geths {
  readonly nodes: readonly [NodeProcess, NodeProcess]
  readonly engines: readonly [EngineNode, EngineNode]
  /** The secret of their engine API. */
  readonly secret: Uint8Array
}

/** Starts two geths of one chain, whose first block is `ageS` old. */
export async function startGeths(geth: string, folder: string, ageS: number): Promise<Geths> {
  const secret = randomBytes(32)
  const secretFile = join(folder, 'jwt')
  const genesisFile = join(folder, 'genesis.json')
  await mkdir(folder, { recursive: true })
  await writeFile(secretFile, `0x${secret.toString('hex')}`)
  await writeFile(genesisFile, JSON.stringify(genesisAt(Math.floor(Date.now() / 1_000) - ageS)))

  const starting = async (name: string) => {
    const dataDir = join(folder, name)
    const [http, ws, engine, peer] = (await freePorts(4)) as [number, number, number, number]
    await run(geth, ['--datadir', dataDir, '--state.scheme', 'path', 'init', genesisFile])
    const process = new NodeProcess({
      name,
      url: `http://127.0.0.1:${http}`,
      ws: `ws://127.0.0.1:${ws}`,
      command: geth,
      args: argsOf(dataDir, secretFile, { http, ws, engine, peer }),
      logFile: join(folder, `${name}.log`),
    })
    return { name, process, engineUrl: `http://127.0.0.1:${engine}` }
  }
  const a = await starting('a')
  const b = await starting('b')
  await Promise.all([a, b].map(({ process }) => process.start()))
  return { nodes: [a.process, b.process], engines: [a, b], secret }
}

/** Starts two geths of one chain. They are peers of each other; a driver in this process stands for their beacon chain. */
export async function startGethChain({ geth, folder, blockMs }: GethChainOptions): Promise<TestChain> {
  const { nodes, engines, secret } = await startGeths(geth, folder, 2 * oldBlocks)
  const ending = new AbortController()
  const progress = createProgress()
  await befriend(nodes)
  const building = buildBlocks({
    nodes: engines,
    secret,
    blockMs,
    quickUntil: oldBlocks,
    onBlock: progress.advanced,
    signal: ending.signal,
  })
  while (progress.reported().height < oldBlocks) await sleep(100)
  return {
    chainId: gethChainId,
    software: `geth ${gethVersion}`,
    nodes,
    pauses: { downMs: 8_000, frozenMs: 20_000, settleMs: 5_000 },
    progress: progress.reported,
    restarted: () => befriend(nodes),
    async [Symbol.asyncDispose]() {
      ending.abort()
      for (const node of nodes) node.resume()
      await Promise.all(nodes.map((node) => node.kill()))
      await building
    },
  }
}

/** Makes each the peer of the other; a node forgets it when it ends. */
async function befriend(nodes: readonly [NodeProcess, NodeProcess]): Promise<void> {
  for (const [node, other] of [nodes, nodes.toReversed() as [NodeProcess, NodeProcess]]) {
    const { enode } = await askNode<{ enode: string }>(other.url, 'admin_nodeInfo')
    await askNode(node.url, 'admin_addPeer', [enode.replace(/@[^:]+:/, '@127.0.0.1:')])
  }
}

function argsOf(
  dataDir: string,
  secretFile: string,
  ports: Readonly<Record<'http' | 'ws' | 'engine' | 'peer', number>>,
): readonly string[] {
  const modules = 'eth,net,web3,debug,txpool,admin'
  const flags = [
    ['--datadir', dataDir, '--networkid', String(gethChainId), '--syncmode', 'full', '--gcmode', 'archive'],
    ['--http', '--http.port', String(ports.http), '--http.api', modules, '--http.vhosts', '*'],
    ['--ws', '--ws.port', String(ports.ws), '--ws.api', modules, '--ws.origins', '*'],
    ['--authrpc.port', String(ports.engine), '--authrpc.jwtsecret', secretFile],
    ['--port', String(ports.peer), '--nat', 'none', '--nodiscover', '--netrestrict', '127.0.0.0/8'],
    ['--ipcdisable', '--rpc.allow-unprotected-txs', '--verbosity', '3'],
  ]
  return flags.flat()
}
