/** A made-up chain without reorgs, which all processes of the rig can compute. */
export interface ChainPace {
  readonly blockMs: number
  /** When block {@link firstHeight} was made, in ms since the epoch. */
  readonly startedAt: number
}

export const chainId = 1_339
/** Blocks that the chain has at its beginning. */
export const firstHeight = 5_000
/** Blocks from the head down to the finalized one. */
export const finalityLag = 64

export const hex = (value: number): string => `0x${value.toString(16)}`
/** The hash of a block. It tells the height, so that a call by hash can be answered. */
const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`

/** The height of the head at `now`, in ms since the epoch. */
export const headAt = ({ blockMs, startedAt }: ChainPace, now: number): number =>
  firstHeight + Math.floor((now - startedAt) / blockMs)

/** The balance of an account at a block: its height above the number of the account. */
export const readAt = (account: string, height: number): string =>
  hex(height * 2 ** 32 + (Number.parseInt(account.slice(-8), 16) >>> 0))

/** The height in a balance. */
export const heightIn = (balance: string): number => Math.floor(Number(balance) / 2 ** 32)

/** A block of about 2 kB with hashes of eight transactions. */
export function blockAt({ blockMs, startedAt }: ChainPace, height: number): object {
  const madeAt = startedAt + (height - firstHeight) * blockMs
  return {
    number: hex(height),
    hash: hashOf(height),
    parentHash: hashOf(height - 1),
    timestamp: hex(Math.floor(madeAt / 1_000)),
    stateRoot: hashOf(1),
    transactionsRoot: hashOf(2),
    receiptsRoot: hashOf(3),
    sha3Uncles: hashOf(4),
    mixHash: hashOf(5),
    miner: `0x${'a1'.repeat(20)}`,
    nonce: '0x0000000000000000',
    difficulty: '0x0',
    extraData: '0x',
    logsBloom: `0x${'00'.repeat(256)}`,
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    baseFeePerGas: '0x7',
    size: '0x800',
    uncles: [],
    transactions: Array.from({ length: 8 }, (_, i) => hashOf(height * 16 + i + 2 ** 40)),
  }
}
