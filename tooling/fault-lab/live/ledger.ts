import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from '@wayleave/conformance/two-nodes/nodes/ask-node'
import { type BatchCall, askBatch } from './nodes/ask-batch.ts'

/** Collects what the gateway told, and holds it to a node that was asked directly. */
export interface Ledger {
  /** A client was told that a block has a hash. */
  block(client: string, number: number, hash: string): void
  /** A client was told a balance at a block, as a hex quantity. */
  balance(client: string, address: string, number: number, balance: string): void
  /** A client was told in which block a transaction was mined. */
  mined(client: string, transaction: string, number: number, blockHash: string): void
  /** A transaction was accepted, or refused with these words. */
  sent(client: string, transaction: string, refusal?: string): void
  /** A transaction of an account was accepted by its nonce. */
  sentNonce(client: string, address: string, nonce: number): void
  /** A block that was told, if there is one; `at` from 0 up to 1 chooses. */
  someBlock(at: number): { readonly number: number; readonly hash: string } | undefined
  someMined(at: number): string | undefined
  /** Asks a node for what was told of blocks up to `height` since the last check. */
  check(url: string, height: number): Promise<void>
  /** Asks a node at the end for what became of the transactions; the last ones may still be mined within that time. */
  settle(url: string, withinMs: number): Promise<Settlement>
}

export interface Settlement {
  /** Answers that were compared. */
  readonly compared: number
  /** Answers about which the node itself could not say anything. */
  readonly unknown: number
  readonly accepted: number
  /** Accepted transactions that are in no block. */
  readonly lost: number
  /** Refused transactions that are in a block; those of them whose refusal did not say that this may be. */
  readonly refused: number
  readonly refusedAndMined: number
}

type Fact = {
  readonly client: string
  readonly call: BatchCall
  readonly reported: string
  readonly read: (result: unknown) => unknown
  readonly number: number
}

/** The most facts of a kind that are kept; the oldest go first. */
const mostKept = 50_000
const batchOf = 50

/** Words of a refusal which leave open whether the transaction was taken. ethers tells of its question for the block number in its place. */
const mayHaveBeenTaken =
  /may have|timed? ?out|timeout|took too long|unknown|already known|nonce too low|aborted|socket|has block N yet/i

/** `onWrong` is called with a sentence for each answer that is refuted. */
export function createLedger(onWrong: (client: string, sentence: string) => void): Ledger {
  const hashes = new Map<number, string>()
  const minedIn = new Map<string, string>()
  const outcomes = new Map<string, { readonly client: string; readonly refusal: string | undefined }>()
  const nonces = new Map<string, { readonly client: string; readonly nonce: number }>()
  const seen = new Map<string, string>()
  let waiting: Fact[] = []
  let compared = 0
  let unknown = 0

  /** Notes a fact; only one that is new is asked for again. */
  function note(key: string, fact: Fact): void {
    const before = seen.get(key)
    if (before === fact.reported) return
    if (before !== undefined) onWrong(fact.client, `${key} was told as ${before}, then as ${fact.reported}`)
    keep(seen, key, fact.reported)
    if (waiting.length < mostKept) waiting.push(fact)
  }

  async function ask(url: string, facts: readonly Fact[]): Promise<void> {
    for (let i = 0; i < facts.length; i += batchOf) {
      const some = facts.slice(i, i + batchOf)
      const results = await askBatch(
        url,
        some.map(({ call }) => call),
        10_000,
      )
      for (const [at, { client, call, reported, read }] of some.entries()) {
        const result = results[at]
        // A geth that was killed has no state of blocks before its end.
        if (result instanceof Error) {
          unknown++
          continue
        }
        const truth = read(result)
        compared++
        if (truth !== reported) onWrong(client, `${call.join(' ')} was told as ${reported}, and is ${String(truth)}`)
      }
    }
  }

  return {
    block(client, number, hash) {
      keep(hashes, number, hash)
      const read = (result: unknown): unknown => (result as { hash?: string } | null)?.hash
      note(`block ${number}`, {
        client,
        call: ['eth_getBlockByNumber', hex(number), false],
        reported: hash,
        read,
        number,
      })
    },
    balance(client, address, number, balance) {
      const call = ['eth_getBalance', address, hex(number)] as const
      note(`${address} at ${number}`, { client, call, reported: balance, read: (result) => result, number })
    },
    mined(client, transaction, number, blockHash) {
      keep(minedIn, transaction, blockHash)
      const read = (result: unknown): unknown => (result as { blockHash?: string } | null)?.blockHash
      const call = ['eth_getTransactionReceipt', transaction] as const
      note(`transaction ${transaction}`, { client, call, reported: blockHash, read, number })
    },
    sent: (client, transaction, refusal) => keep(outcomes, transaction, { client, refusal }),
    sentNonce(client, address, nonce) {
      if (nonce >= (nonces.get(address)?.nonce ?? 0)) nonces.set(address, { client, nonce })
    },
    someBlock(at) {
      const number = [...hashes.keys()].at(Math.floor(at * hashes.size))
      return number === undefined ? undefined : { number, hash: hashes.get(number)! }
    },
    someMined: (at) => [...minedIn.keys()].at(Math.floor(at * minedIn.size)),
    async check(url, height) {
      const due = waiting.filter(({ number }) => number <= height)
      waiting = waiting.filter(({ number }) => number > height)
      await ask(url, due)
    },
    async settle(url, withinMs) {
      await ask(url, waiting.splice(0))
      const until = performance.now() + withinMs
      for (const [address, { client, nonce }] of nonces) {
        const next = await nonceAfter(url, address, nonce, until)
        if (next <= nonce) {
          onWrong(client, `its transaction ${nonce} was accepted, and ${next} is the next of its account`)
        }
      }
      const counts = { accepted: 0, lost: 0, refused: 0, refusedAndMined: 0 }
      const all = [...outcomes]
      for (let i = 0; i < all.length; i += batchOf) {
        const some = all.slice(i, i + batchOf)
        const found = await askBatch(
          url,
          some.map(([hash]) => ['eth_getTransactionReceipt', hash]),
          10_000,
        )
        for (const [at, [hash, { client, refusal }]] of some.entries()) {
          const isMined = found[at] !== null
          if (refusal === undefined) {
            counts.accepted++
            if (isMined) continue
            counts.lost++
            onWrong(client, `${hash} was accepted, and is in no block`)
          } else {
            counts.refused++
            if (!isMined) continue
            counts.refusedAndMined++
            if (!mayHaveBeenTaken.test(refusal)) onWrong(client, `${hash} was refused (${refusal}), and is in a block`)
          }
        }
      }
      return { compared, unknown, ...counts }
    },
  }
}

/** Returns the next nonce of an account, when it is beyond `nonce` or the time is over. */
async function nonceAfter(url: string, address: string, nonce: number, until: number): Promise<number> {
  for (;;) {
    const next = Number(await askNode<string>(url, 'eth_getTransactionCount', [address, 'latest']))
    if (next > nonce || performance.now() > until) return next
    await sleep(200)
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.set(key, value)
  if (map.size > mostKept) map.delete(map.keys().next().value!)
}
