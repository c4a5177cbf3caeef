import type { RigClient } from '@wayleave/conformance/two-nodes/clients/client'
import type { Ledger } from '../ledger.ts'

export interface HeldOptions {
  readonly address: string
  readonly ledger: Ledger
  readonly sending: <T>(send: () => Promise<T>) => Promise<T>
}

/** Notes the blocks that are announced to a client, and the transactions that are accepted from it. */
export function heldToLedger(client: RigClient, { address, ledger, sending }: HeldOptions): RigClient {
  return {
    name: client.name,
    watch: (announcements) =>
      client.watch({
        ...announcements,
        onBlock(block) {
          ledger.block(client.name, block.number, block.hash)
          announcements.onBlock(block)
        },
      }),
    blockNumber: () => client.blockNumber(),
    latest: () => client.latest(),
    hasBlock: (hash) => client.hasBlock(hash),
    stateAt: (number) => client.stateAt(number),
    pendingNonce: () => client.pendingNonce(),
    async send(nonce) {
      await sending(() => client.send(nonce))
      ledger.sentNonce(client.name, address, nonce)
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
