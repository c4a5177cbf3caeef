import type { BenchClock } from './defaults.ts'

/** A chain that grows while it is asked, without forks. */
export interface UpstreamChain {
  readonly height: number
  /** Prints a block by its number, in hex without leading zeros, or by a tag. */
  block(name: string): string
  /** Prints the head as a node announces it. */
  announced(): string
}

const firstHeight = 21_000_000
const finalityLag = 64
/** The root of a trie of nothing: gateways look whether it fits a block without transactions. */
const emptyTrie = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

/** Starts a chain with a block each `blockMs`. `onHead` is called with each new one. */
export function startChain(clock: BenchClock, blockMs: number, onHead: (chain: UpstreamChain) => void): UpstreamChain {
  let height = firstHeight
  const start = clock.now()
  const madeAt = clock.date().getTime()
  const print = (number: number): string =>
    JSON.stringify({
      baseFeePerGas: '0x3b9aca00',
      difficulty: '0x0',
      // Its readers tell by it how late they are.
      extraData: `0x${Math.round((start + (number - firstHeight) * blockMs) * 1000).toString(16)}`,
      gasLimit: '0x2255100',
      gasUsed: '0x10c8e0',
      hash: word(number),
      logsBloom: `0x${'00'.repeat(256)}`,
      miner: `0x${'a1'.repeat(20)}`,
      mixHash: word(5),
      nonce: '0x0000000000000000',
      number: `0x${number.toString(16)}`,
      parentHash: word(number - 1),
      receiptsRoot: emptyTrie,
      sha3Uncles: word(4),
      size: '0x7d0',
      stateRoot: word(1),
      timestamp: `0x${Math.floor(madeAt / 1000 + ((number - firstHeight) * blockMs) / 1000).toString(16)}`,
      transactions: [],
      transactionsRoot: emptyTrie,
      uncles: [],
    })
  const chain: UpstreamChain = {
    get height() {
      return height
    },
    block(name) {
      if (name === 'finalized' || name === 'safe') return print(height - finalityLag)
      const number = name.startsWith('0x') ? Number(name) : height
      return number > height ? 'null' : print(number)
    },
    announced: () => print(height),
  }
  const grow = (): void => {
    height++
    clock.after(Math.max(0, start + (height + 1 - firstHeight) * blockMs - clock.now()), grow)
    onHead(chain)
  }
  clock.after(blockMs, grow)
  return chain
}
