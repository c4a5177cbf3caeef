import { setTimeout as sleep } from 'node:timers/promises'
import { devAccounts } from '@wayleave/dev-node'
import { getContractAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { startGethChain } from '../../two-nodes/nodes/geth-chain.ts'
import { askNode } from '../../two-nodes/nodes/ask-node.ts'
import { tickedTopic } from './clock-chain.ts'
import type { StreamChain } from './stream-chain.ts'

export interface GethNodesOptions {
  /** The path of geth. */
  readonly geth: string
  /** A folder for the chains and the logs. */
  readonly folder: string
  readonly blockMs: number
}

/**
 * A contract that logs `Ticked()` at each call: PUSH32 topic, PUSH1 0, PUSH1 0, LOG1, STOP. The code before it copies its 39 bytes.
 */
const initCode: Hex = `0x602780600b6000396000f37f${tickedTopic.slice(2)}60006000a100`
const gas = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, gas: 200_000n }
/** The account of the rig, which no client uses. */
const sender = privateKeyToAccount(devAccounts[9]!.privateKey as Hex)
const sendEveryMs = 700

/** Starts two geths of one chain, and calls a contract that logs, by and by. */
export async function startGethNodes({ geth, folder, blockMs }: GethNodesOptions): Promise<StreamChain> {
  const chain = await startGethChain({ geth, folder, blockMs })
  const { chainId, nodes } = chain
  const to = getContractAddress({ from: sender.address, nonce: 0n })
  const ending = new AbortController()
  const { signal } = ending

  /** Signs a transaction, and hands it to all nodes that answer: one that is killed forgets what only it had. */
  async function send(nonce: number): Promise<void> {
    const place = nonce === 0 ? { data: initCode } : { to }
    const raw = await sender.signTransaction({ ...gas, ...place, nonce, type: 'eip1559', chainId })
    await Promise.allSettled(nodes.map((node) => askNode(node.url, 'eth_sendRawTransaction', [raw])))
  }

  async function nextNonce(): Promise<number | undefined> {
    const asked = nodes.map((node) => askNode<string>(node.url, 'eth_getTransactionCount', [sender.address, 'latest']))
    const reported = (await Promise.allSettled(asked)).filter((each) => each.status === 'fulfilled')
    return reported.length === 0 ? undefined : Math.max(...reported.map(({ value }) => Number(value)))
  }

  const sending = (async () => {
    // The transaction that is not mined yet is sent again, at most one after it.
    for (; !signal.aborted; await sleep(sendEveryMs, undefined, { signal }).catch(() => {})) {
      const next = await nextNonce()
      if (next === undefined) continue
      await send(next)
      if (next > 0) await send(next + 1)
    }
  })()
  return {
    chainId,
    software: `two ${chain.software}`,
    nodes,
    blockMs,
    filter: { address: to.toLowerCase(), topics: [tickedTopic] },
    height: () => chain.progress().height,
    restarted: (node) => restartedSoon(() => chain.restarted(node)),
    async [Symbol.asyncDispose]() {
      ending.abort()
      await sending
      await chain[Symbol.asyncDispose]()
    },
  }
}

/** A node that has only started may need longer for its first answers than a question waits. */
async function restartedSoon(restarted: () => Promise<void>): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      return await restarted()
    } catch (why) {
      if (left === 0) throw why
      await sleep(500)
    }
  }
}
