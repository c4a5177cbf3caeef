import type { NodeKind } from '../market.ts'
import type { BaseFeeRule } from './base-fee.ts'
import type { Stairs } from './stairs.ts'

/** A fee market to simulate. All prices in wei per gas. */
export interface Profile {
  readonly name: string
  readonly node: NodeKind
  readonly seed: number
  readonly blocks: number
  readonly blockTimeMs: number
  readonly gasLimit: number
  readonly baseFee: BaseFeeRule & { readonly first: bigint }
  readonly demand: Demand
  readonly tips: TipMix
  /** Builders take no public transaction that tips less. */
  readonly leastTip: number
  /** The share of the gas limit that private bundles of zero tip fill on average; 0: none. */
  readonly privateFlow: number
  /** The probability that a builder does not know a transaction yet. */
  readonly unheard: number
}

/** The senders that come to the market. */
export interface Demand {
  /** Public transactions a block, in ordinary times. */
  readonly arrivals: number
  /** The most that a sender would pay, base fee and tip together: log-normal. */
  readonly value: { readonly median: number; readonly sigma: number }
  /** A day's wave: arrivals swing by this share over this many blocks. */
  readonly day: { readonly swing: number; readonly blocks: number }
  /** Each block's chance: the deviation of the logarithm of its arrivals (late blocks hold more). */
  readonly jitter: number
  /** Calm and busy times follow each other: their factors on arrivals, and their mean length in blocks. */
  readonly regimes: readonly { readonly factor: number; readonly blocks: number }[]
  /** Mints, liquidations, airdrops: crowds that come at once, pay more and tip high. Undefined: none. */
  readonly shocks: Shocks | undefined
}

interface Shocks {
  /** The probability that a crowd starts, in each block without one. */
  readonly chance: number
  /** Its length, shortest and longest. */
  readonly blocks: readonly [least: number, most: number]
  /** How many times the ordinary arrivals come on top, least and most. */
  readonly arrivals: readonly [least: number, most: number]
  /** How many times the ordinary the crowd's value and tips are, least and most. */
  readonly eagerness: readonly [least: number, most: number]
}

/** How public senders choose their tips: shares that add up to 1. */
export interface TipMix {
  /** Round defaults of wallets; one listed twice is twice as likely. */
  readonly fixed: { readonly share: number; readonly tips: readonly number[] }
  /** Senders that tip about the last block's median. */
  readonly followers: { readonly share: number; readonly sigma: number }
  /** Bots that tip next to nothing, up to this. */
  readonly dust: { readonly share: number; readonly most: number }
  /** Senders in a pollSoon: log-normal. */
  readonly urgent: { readonly share: number; readonly median: number; readonly sigma: number }
  /** A jump of all tips by this factor, from one block to the next; undefined: never. */
  readonly jump: { readonly factor: number; readonly every: number } | undefined
  /** Climbs of all tips by steps, and the ways down; undefined: none. */
  readonly stairs?: Stairs
}
