import type { EventOf } from '../../src/index.ts'
import type { ModelBlock } from './chain-server.ts'

type Head = EventOf<readonly ['newHeads']>
type Log = EventOf<readonly ['logs', object]>
type Receipts = EventOf<readonly ['transactionReceipts']>

/** The chain that heads tell, after a block; throws where one is missing or comes twice. */
export function foldHeads(
  start: ModelBlock,
  before: readonly ModelBlock[],
): { add(head: Head): void; hashes(): string[] } {
  const hashes = [...before.map(({ hash }) => hash), start.hash]
  const base = hashes.length
  return {
    add({ hash, parentHash }) {
      const parent = hashes.indexOf(parentHash)
      if (parent === -1) throw new Error(`a head before ${hash} is missing`)
      if (hashes.includes(hash!)) throw new Error(`${hash} came twice`)
      hashes.length = parent + 1
      hashes.push(hash!)
    },
    hashes: () => (hashes.length < base ? hashes : hashes.slice(base)),
  }
}

/** The logs that stand; throws where one comes twice, or is taken back without having come. */
export function foldLogs(): { add(log: Log): void; keys(): string[] } {
  const keys: string[] = []
  return {
    add({ blockHash, logIndex, removed }) {
      const key = `${blockHash} ${logIndex}`
      if (removed === true) {
        if (keys.at(-1) !== key) throw new Error(`${key} is taken back out of order`)
        keys.pop()
      } else {
        if (keys.includes(key)) throw new Error(`${key} came twice`)
        keys.push(key)
      }
    },
    keys: () => keys,
  }
}

/** The blocks whose receipts were told; those of a higher or the same height are replaced. */
export function foldReceipts(): { add(receipts: Receipts): void; hashes(): string[] } {
  let reported: { readonly number: number; readonly hash: string }[] = []
  return {
    add([receipt]) {
      const { blockHash, blockNumber } = receipt!
      const hash = String(blockHash)
      if (reported.some((one) => one.hash === hash)) throw new Error(`the receipts of ${hash} came twice`)
      reported = [
        ...reported.filter(({ number }) => number < Number(blockNumber)),
        { number: Number(blockNumber), hash },
      ]
    },
    hashes: () => reported.map(({ hash }) => hash),
  }
}
