import type { Block } from '@wayleave/evm-types'
import { RpcError } from '@wayleave/jsonrpc-core'
import type { Client } from '../client.ts'
import type { Patience } from './patience.ts'

/** A block that the chain got, and those that it lost just before, the newest first. */
export interface ChainStep {
  readonly removed: readonly Block[]
  readonly added: Block
}

/** Most blocks that a reorg may replace. */
const mostReplaced = 128
/** Most blocks between two polls. */
const mostMissed = 1_024

/**
 * Polls for the blocks after the newest one: each is the child of the block before it, or of one before those that it replaces.
 * @throws RpcError `too_large` where more blocks were missed or replaced than can be followed
 */
export async function* pollChain(client: Pick<Client, 'eth'>, patience: Patience): AsyncGenerator<ChainStep, never> {
  const recent: Block[] = []
  for (;;) {
    const head = await patience.ask(() => client.eth.getBlockByNumber('latest', false))
    if (recent.length === 0) {
      if (head !== null) recent.push(head)
    } else if (head !== null) {
      const branch = await branchTo(head, recent, client, patience)
      const parent = branch.at(-1)?.parentHash
      let removed = branch.length === 0 ? [] : recent.splice(recent.findIndex(({ hash }) => hash === parent) + 1)
      for (const added of branch.toReversed()) {
        recent.push(added)
        yield { removed: removed.toReversed(), added }
        removed = []
      }
      recent.splice(0, recent.length - mostReplaced)
    }
    await patience.pause()
  }
}

/** Fetches the blocks from a head, the newest first, down to a child of a known block. Empty where the node does not have all of them yet. */
async function branchTo(
  head: Block,
  known: readonly Block[],
  client: Pick<Client, 'eth'>,
  patience: Patience,
): Promise<readonly Block[]> {
  const hashes = new Set(known.map(({ hash }) => hash))
  const branch: Block[] = []
  for (let block: Block | null = head; block !== null && !hashes.has(block.hash);) {
    branch.push(block)
    const { parentHash, number }: Block = block
    if (hashes.has(parentHash)) return branch
    if (branch.length === mostMissed || BigInt(number!) <= BigInt(known[0]!.number!)) {
      throw new RpcError('too_large', `more blocks were missed or replaced than can be followed: ${branch.length}`)
    }
    block = await patience.ask((): Promise<Block | null> => client.eth.getBlockByHash(parentHash, false))
  }
  return []
}
