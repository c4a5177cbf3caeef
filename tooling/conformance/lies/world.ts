import { type AnvilProcess, startAnvil } from '@wayleave/dev-node'
import { alice, bob, deployDirectly } from '../test/support/chain.ts'
import { ask } from '../test/support/http.ts'
import { type Peer } from '../test/support/peer.ts'
import { startRelay } from '../test/support/relay.ts'

/** A JSON object of a node. */
export type Json = Readonly<Record<string, unknown>>

/** A chain with one block that the questions are about, and an honest node of it. */
export interface World extends AsyncDisposable {
  readonly url: string
  readonly honest: Peer
  /** Another node of the chain: one that is listed twice has one voice. */
  readonly another: Peer
  readonly contract: string
  readonly reader: string
  /** A block of three transactions; the first and the last leave a log. */
  readonly block: Json & {
    readonly hash: string
    readonly number: string
    readonly transactions: readonly (Json & { readonly hash: string })[]
  }
}

const storing = (value: number): string => `0x6057361d${value.toString(16).padStart(64, '0')}`

/** Starts a chain, and mines the block. */
export async function startWorld(name: string): Promise<World> {
  const anvil: AnvilProcess = await startAnvil({ name, chainId: 1 })
  const url = anvil.httpUrl
  const { address: contract } = await deployDirectly(url)
  await ask(url, 'evm_setAutomine', [false])
  for (const transaction of [
    { to: contract, data: storing(7) },
    { to: bob.address, value: '0x5' },
    { to: contract, data: storing(9) },
  ]) {
    await ask(url, 'eth_sendTransaction', [{ from: alice.address, gas: '0x30d40', ...transaction }])
  }
  await ask(url, 'evm_mine', [])
  const block = (await ask(url, 'eth_getBlockByNumber', ['latest', true])) as World['block']
  if (block.transactions.length !== 3) throw new Error(`expected 3 transactions, got ${block.transactions.length}`)
  await ask(url, 'evm_mine', [])
  const honest = await startRelay(url)
  const another = await startRelay(url)
  return {
    url,
    honest,
    another,
    contract,
    reader: bob.address,
    block,
    async [Symbol.asyncDispose]() {
      await honest[Symbol.asyncDispose]()
      await another[Symbol.asyncDispose]()
      await anvil.close()
    },
  }
}
