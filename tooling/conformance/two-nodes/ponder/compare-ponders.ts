import type { TestChain } from '../nodes/chain.ts'
import { differences, type Ponder, startPonder } from './ponder.ts'
import { storeAddress, storeValues } from './store-values.ts'

/** A Ponder that has indexed while the nodes were hurt. */
export interface PonderRun extends AsyncDisposable {
  /** Compares its rows with those of another one that reads a node directly. Resolves with sentences without a full stop, and the count. */
  compare(): Promise<{ readonly broken: readonly string[]; readonly reported: string }>
}

export interface PonderRunOptions {
  readonly chain: TestChain
  /** The gateway's address. */
  readonly url: string
  readonly packages: string
  readonly folder: string
  readonly signal: AbortSignal
}

/** Starts a Ponder behind the gateway, and gives it events. */
export async function startPonderRun({ chain, url, packages, folder, signal }: PonderRunOptions): Promise<PonderRun> {
  const { chainId } = chain
  const ending = new AbortController()
  const storing = storeValues(url, chainId, ending.signal)
  const start = (name: string, at: string): Promise<Ponder> =>
    startPonder({ packages, folder, name, url: at, chainId, contract: storeAddress })
  const through = await start('ponder-gateway', url)
  const stop = (): Promise<void> => {
    ending.abort()
    return storing
  }
  return {
    async compare() {
      await stop()
      const { height } = chain.progress()
      try {
        const rows = await through.rowsUpTo(height, signal)
        await using direct = await start('ponder-direct', chain.nodes[0].url)
        const right = await direct.rowsUpTo(height, signal)
        const reported = `Ponder: ${rows.blocks.length} blocks and ${rows.events.length} events through the gateway, ${right.blocks.length} and ${right.events.length} from a node`
        return { reported, broken: differences(rows, right).map((sentence) => `Ponder: ${sentence}`) }
      } catch (thrown) {
        signal.throwIfAborted()
        const why = (thrown as Error).message
        return { reported: 'Ponder: its rows cannot be compared', broken: [`Ponder: ${why}`] }
      }
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await through[Symbol.asyncDispose]()
    },
  }
}
