import type { Demand, Profile, TipMix } from './profile.ts'
import type { Stairs } from './stairs.ts'

const gwei = 1e9

const mainnetTips: TipMix = {
  fixed: {
    share: 0.5,
    tips: [0.001274, 0.002, 0.002, 0.1, 0.5, 1, 1, 1.5, 1.5, 2].map((tip) => Math.round(tip * gwei)),
  },
  followers: { share: 0.3, sigma: 0.6 },
  dust: { share: 0.08, most: 0.005 * gwei },
  urgent: { share: 0.12, median: 2 * gwei, sigma: 1.2 },
  jump: undefined,
}

const mainnetDemand: Demand = {
  arrivals: 340,
  value: { median: 3 * gwei, sigma: 1 },
  day: { swing: 0.3, blocks: 7200 },
  jitter: 0.25,
  regimes: [
    { factor: 0.8, blocks: 400 },
    { factor: 1, blocks: 600 },
    { factor: 1.3, blocks: 200 },
  ],
  shocks: { chance: 1 / 1500, blocks: [5, 20], arrivals: [0.5, 1.5], eagerness: [2, 4] },
}

/** An ordinary time on Ethereum. */
const l1: Profile = {
  name: 'L1',
  node: 'geth',
  seed: 1,
  blocks: 12_000,
  blockTimeMs: 12_000,
  gasLimit: 36_000_000,
  baseFee: { elasticity: 2, denominator: 8, least: 1n, moves: true, first: 2_000_000_000n },
  demand: mainnetDemand,
  tips: mainnetTips,
  leastTip: 1,
  privateFlow: 0.07,
  unheard: 0.02,
}

/** The same chain under mints and liquidations: a crowd comes every 100 blocks or so, for 5 to 50 blocks. */
const busyL1: Profile = {
  ...l1,
  name: 'busy L1',
  seed: 2,
  gasLimit: 30_000_000,
  baseFee: { ...l1.baseFee, first: 20_000_000_000n },
  demand: {
    ...mainnetDemand,
    arrivals: 300,
    value: { median: 30 * gwei, sigma: 1 },
    jitter: 0.35,
    regimes: [
      { factor: 0.7, blocks: 150 },
      { factor: 1, blocks: 300 },
      { factor: 1.6, blocks: 150 },
    ],
    shocks: { chance: 1 / 100, blocks: [5, 50], arrivals: [1, 4], eagerness: [3, 20] },
  },
}

/** An OP-stack rollup: blocks of 2 s that are a sixth full, and prices of thousandths of a gwei. */
const l2: Profile = {
  name: 'L2',
  node: 'op-geth',
  seed: 3,
  blocks: 12_000,
  blockTimeMs: 2_000,
  gasLimit: 60_000_000,
  baseFee: { elasticity: 6, denominator: 250, least: 1n, moves: true, first: 3_000_000n },
  demand: {
    arrivals: 120,
    value: { median: 0.008 * gwei, sigma: 1.2 },
    day: { swing: 0.3, blocks: 43_200 },
    jitter: 0.3,
    regimes: [
      { factor: 0.8, blocks: 600 },
      { factor: 1.1, blocks: 900 },
      { factor: 1.5, blocks: 300 },
    ],
    shocks: { chance: 1 / 800, blocks: [10, 60], arrivals: [2, 8], eagerness: [2, 10] },
  },
  tips: {
    fixed: { share: 0.55, tips: [50, 1_000_000, 1_000_000, 1_000_000, 1_100_000, 1_500_000] },
    followers: { share: 0.1, sigma: 0.5 },
    dust: { share: 0.15, most: 300_000 },
    urgent: { share: 0.2, median: 6_000_000, sigma: 1.2 },
    jump: undefined,
  },
  leastTip: 0,
  privateFlow: 0,
  unheard: 0.02,
}

/** The markets that the bars are measured on. */
export const profiles: readonly Profile[] = [l1, busyL1, l2]

const short = 3_000

/**
 * Steps as Polygon's tips once took them within a minute, in gwei: 135 for 40 blocks, then 161, 161, 183, 183, 270, 270, 276
 * and 395.
 */
const stairs: Stairs = { calm: [30, 60], steps: [4, 8], plateau: [1, 3], factor: [1.02, 1.5], top: [5, 40] }

/** Markets whose tips climb by steps with plateaus. Blocks have room, so that the base fee stays low and tips are most of a price. */
export const stairProfiles: readonly Profile[] = [
  {
    ...l1,
    name: 'stairs',
    seed: 21,
    blocks: short,
    blockTimeMs: 2_000,
    gasLimit: 45_000_000,
    baseFee: { elasticity: 2, denominator: 64, least: 30_000_000_000n, moves: true, first: 30_000_000_000n },
    demand: { ...mainnetDemand, arrivals: 140, value: { median: 5_000 * gwei, sigma: 0.6 }, shocks: undefined },
    tips: {
      fixed: { share: 0.6, tips: [130, 135, 135, 135, 140, 150].map((tip) => tip * gwei) },
      followers: { share: 0, sigma: 0 },
      dust: { share: 0.05, most: 130 * gwei },
      urgent: { share: 0.35, median: 160 * gwei, sigma: 0.4 },
      jump: undefined,
      stairs,
    },
    leastTip: 25 * gwei,
    privateFlow: 0,
  },
  {
    ...l1,
    name: 'L1 stairs',
    seed: 22,
    blocks: short,
    baseFee: { ...l1.baseFee, least: 300_000_000n },
    demand: { ...mainnetDemand, arrivals: 70, value: { median: 200 * gwei, sigma: 1 }, shocks: undefined },
    tips: {
      ...mainnetTips,
      fixed: { share: 0.8, tips: [0.1, 0.5, 0.5, 1, 1, 1.5, 1.5, 2].map((tip) => tip * gwei) },
      followers: { share: 0, sigma: 0 },
      stairs,
    },
  },
]

/** Markets that no strategy was tuned on. */
export const unseenProfiles: readonly Profile[] = [
  { ...l1, name: 'tips x10', seed: 11, blocks: short, tips: { ...mainnetTips, jump: { factor: 10, every: 500 } } },
  {
    ...l1,
    name: 'idle',
    seed: 12,
    blocks: short,
    demand: { ...mainnetDemand, arrivals: 0.4, shocks: undefined },
    privateFlow: 0,
  },
  {
    ...l2,
    name: 'base fee 0',
    seed: 13,
    blocks: short,
    node: 'geth',
    baseFee: { ...l2.baseFee, least: 0n, moves: false, first: 0n },
    leastTip: 1,
  },
  {
    ...l2,
    name: '250 ms',
    seed: 14,
    blocks: 2 * short,
    node: 'geth',
    blockTimeMs: 250,
    gasLimit: 32_000_000,
    baseFee: { elasticity: 4.5, denominator: 100, least: 10_000_000n, moves: true, first: 10_000_000n },
    demand: { ...l2.demand, arrivals: 8, value: { median: 0.1 * gwei, sigma: 1 } },
    tips: {
      fixed: { share: 0.8, tips: [0, 0, 0, 1_000_000, 10_000_000] },
      followers: { share: 0.05, sigma: 0.5 },
      dust: { share: 0.05, most: 1_000_000 },
      urgent: { share: 0.1, median: 20_000_000, sigma: 1 },
      jump: undefined,
    },
  },
  {
    ...l1,
    name: 'least tip 30',
    seed: 15,
    blocks: short,
    blockTimeMs: 2_000,
    gasLimit: 45_000_000,
    baseFee: { elasticity: 2, denominator: 64, least: 1n, moves: true, first: 15_000_000_000n },
    demand: { ...mainnetDemand, arrivals: 260, value: { median: 80 * gwei, sigma: 0.6 } },
    tips: {
      fixed: { share: 0.6, tips: [30, 30, 30, 35, 45, 45, 50].map((tip) => tip * gwei) },
      followers: { share: 0.15, sigma: 0.2 },
      dust: { share: 0.05, most: 60 * gwei },
      urgent: { share: 0.2, median: 50 * gwei, sigma: 0.6 },
      jump: undefined,
    },
    leastTip: 30 * gwei,
    privateFlow: 0,
  },
  // Blocks are always full, since the base fee does not follow: tips alone decide.
  {
    ...l1,
    name: 'auction',
    seed: 16,
    blocks: short,
    baseFee: { ...l1.baseFee, moves: false, first: 1_000_000_000n },
  },
]
