import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type AnvilProcess, devAccounts, startAnvil } from '@wayleave/dev-node'
import { askNode } from '../../two-nodes/nodes/ask-node.ts'
import { freePorts } from '../../two-nodes/nodes/free-ports.ts'
import { NodeProcess } from '../../two-nodes/nodes/node-process.ts'
import { chainId } from './start-nodes.ts'

/** The name of each fault, as the node that has it is named. */
export const faults = ['wrong-chain', 'stuck', 'lagging'] as const

export interface FaultyNodes {
  readonly good: readonly { readonly name: string; readonly url: string }[]
  readonly faulty: Readonly<Record<(typeof faults)[number], { readonly name: string; readonly url: string }>>
  /** An account, and its balance on the right chain. */
  readonly account: string
  readonly balance: string
}

const blockMs = 500
const lag = 20
/** The height at the beginning. */
const firstHeight = 40
const program = fileURLToPath(new URL('../../two-nodes/nodes/stand-in.ts', import.meta.url))
const { address: account } = devAccounts[0]!

/** Starts nodes before one anvil: two good ones, one at block 0, one that lags by 20 blocks; and an anvil of another chain. All end with `stack`. */
export async function startFaultyNodes(stack: AsyncDisposableStack): Promise<FaultyNodes> {
  const folder = await mkdtemp(join(tmpdir(), 'pool-bars-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const right = stack.use(await startAnvil({ name: 'right', chainId }))
  const wrong = stack.use(await startAnvil({ name: 'wrong', chainId: chainId + 1 }))
  await askNode(wrong.httpUrl, 'anvil_setBalance', [account, '0x1'])
  for (const { httpUrl } of [right, wrong]) {
    await askNode(httpUrl, 'evm_setAutomine', [false])
    await askNode(httpUrl, 'anvil_mine', [`0x${firstHeight.toString(16)}`, '0x1'])
  }
  mine(stack, [right, wrong])
  const never = 1e9
  const starting = async (name: string, catchUpMs: number, behind: number): Promise<NodeProcess> => {
    const [http, ws] = (await freePorts(2)) as [number, number]
    return stack.use(
      new NodeProcess({
        name,
        url: `http://127.0.0.1:${http}`,
        ws: `ws://127.0.0.1:${ws}`,
        command: process.execPath,
        args: [program, right.httpUrl, String(http), String(ws), String(catchUpMs), '0', String(behind)],
        logFile: join(folder, `${name}.log`),
      }),
    )
  }
  const good = [await starting('good-1', 0, 0), await starting('good-2', 0, 0)]
  const stuck = await starting('stuck', never, 0)
  const lagging = await starting('lagging', 0, lag)
  for (const node of [...good, stuck, lagging]) await node.start()
  for (const node of [...good, lagging]) while ((await node.head()) === 0) await sleep(50)
  return {
    good: good.map(({ name, url }) => ({ name, url })),
    faulty: {
      'wrong-chain': { name: 'wrong-chain', url: wrong.httpUrl },
      stuck: { name: 'stuck', url: stuck.url },
      lagging: { name: 'lagging', url: lagging.url },
    },
    account,
    balance: await askNode(right.httpUrl, 'eth_getBalance', [account, 'latest']),
  }
}

/** Mines a block on each chain now and then, until `stack` ends. */
function mine(stack: AsyncDisposableStack, chains: readonly AnvilProcess[]): void {
  const ending = new AbortController()
  const mining = (async () => {
    while (!ending.signal.aborted) {
      await Promise.all(chains.map(({ httpUrl }) => askNode(httpUrl, 'evm_mine')))
      await sleep(blockMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  })()
  // Awaited at the end; until then a failure shows as a chain that stands still.
  mining.catch(() => {})
  stack.defer(async () => {
    ending.abort()
    await mining.catch(() => {})
  })
}
