/** A stream of random numbers that the same seed always repeats. */
export interface Random {
  /** Uniform, from 0 to below 1. */
  next(): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  /** Normally distributed, with mean 0 and deviation 1. */
  normal(): number
  /** Log-normally distributed: half of all lie below `median`; `sigma` is the deviation of the logarithm. */
  logNormal(median: number, sigma: number): number
  /** Poisson-distributed: the number of rare, independent events of which `mean` are expected. */
  poisson(mean: number): number
}

/** Source of the generator: sfc32 of PractRand, 128 bits of state. */
export function createRandom(seed: number): Random {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = seed | 0
  let counter = 1
  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  for (let round = 0; round < 16; round += 1) next()
  function normal(): number {
    return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  }
  return {
    next,
    chance: (probability) => next() < probability,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    normal,
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
    poisson(mean) {
      // Counting products is exact but slow for large means, for which the normal distribution is close enough.
      if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()))
      const limit = Math.exp(-mean)
      let count = 0
      for (let product = next(); product > limit; product *= next()) count += 1
      return count
    },
  }
}
