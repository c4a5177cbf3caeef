import type { Pending } from './fill-block.ts'
import type { Demand, Profile, TipMix } from './profile.ts'
import type { Random } from './random.ts'
import { createStairs } from './stairs.ts'

/** The senders of transactions. */
export interface Crowd {
  /** Senders that come before this block, given its base fee and the last block's median tip. */
  arrive(number: number, baseFee: number, middleTip: number): readonly Pending[]
}

interface Shock {
  readonly until: number
  readonly arrivals: number
  readonly eagerness: number
}

/** Makes a crowd that behaves as the profile says. */
export function createCrowd({ demand, tips }: Profile, random: Random): Crowd {
  const season = createSeason(demand, random)
  const climb = tips.stairs === undefined ? () => 1 : createStairs(tips.stairs, random)
  let shock: Shock | undefined
  let height = 1
  return {
    arrive(number, baseFee, middleTip) {
      height = climb()
      shock = nextShock(shock, number, demand, random)
      const mean = demand.arrivals * season(number) * Math.exp(demand.jitter * random.normal())
      const calm = random.poisson(mean)
      const eager = shock === undefined ? 0 : random.poisson(demand.arrivals * shock.arrivals)
      const coming: Pending[] = []
      for (let each = 0; each < calm + eager; each += 1) {
        const eagerness = each < calm ? 1 : shock!.eagerness
        const transaction = send(number, baseFee, middleTip, eagerness)
        if (transaction !== undefined) coming.push(transaction)
      }
      return coming
    },
  }

  function send(number: number, baseFee: number, middleTip: number, eagerness: number): Pending | undefined {
    const value = random.logNormal(demand.value.median, demand.value.sigma) * eagerness
    const maxTip = Math.round(chooseTip(tips, middleTip, random) * eagerness * jumpAt(tips, number) * height)
    // Senders who would not pay today's price mostly stay away; some wait for a better one.
    if (value < baseFee + maxTip && !random.chance(0.15)) return undefined
    return {
      maxTip,
      maxFee: Math.round(Math.min(value, baseFee * 2 + maxTip)),
      gas: chooseGas(random),
      expires: number + random.between(2, 60),
    }
  }
}

function createSeason({ day, regimes }: Demand, random: Random): (number: number) => number {
  let regime = regimes[0]!
  return (number) => {
    if (random.chance(1 / regime.blocks)) regime = regimes[random.between(0, regimes.length - 1)]!
    return regime.factor * (1 + day.swing * Math.sin((2 * Math.PI * number) / day.blocks))
  }
}

function nextShock(shock: Shock | undefined, number: number, { shocks }: Demand, random: Random): Shock | undefined {
  if (shock !== undefined && number < shock.until) return shock
  if (shocks === undefined || !random.chance(shocks.chance)) return undefined
  const within = ([least, most]: readonly [number, number]): number => least + random.next() * (most - least)
  return {
    until: number + random.between(...shocks.blocks),
    arrivals: within(shocks.arrivals),
    eagerness: within(shocks.eagerness),
  }
}

function chooseTip({ fixed, followers, dust, urgent }: TipMix, middleTip: number, random: Random): number {
  let draw = random.next()
  if ((draw -= fixed.share) < 0) return fixed.tips[random.between(0, fixed.tips.length - 1)]!
  if ((draw -= followers.share) < 0) return random.logNormal(middleTip, followers.sigma)
  if ((draw -= dust.share) < 0) return random.next() * dust.most
  return random.logNormal(urgent.median, urgent.sigma)
}

function jumpAt({ jump }: TipMix, number: number): number {
  return jump !== undefined && Math.floor(number / jump.every) % 2 === 1 ? jump.factor : 1
}

/** Transfers, token transfers, swaps and the rest, as on a chain's ordinary day. */
function chooseGas(random: Random): number {
  const draw = random.next()
  if (draw < 0.35) return 21_000
  if (draw < 0.65) return random.between(45_000, 70_000)
  if (draw < 0.96) return random.between(90_000, 300_000)
  return random.between(300_000, 1_500_000)
}
