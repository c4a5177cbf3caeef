/** Wrong sign-ins of the last minute. */
export interface SignInAttempts {
  /** Tells how long an address has to wait before it may try, in ms; 0: it may now. */
  waitMs(address: string, now: number): number
  /** Counts a wrong sign-in. */
  wrong(address: string, now: number): void
}

const windowMs = 60_000
/** Wrong sign-ins a minute after which an address has to wait. */
const mostOfOne = 10
/** Wrong tokens of all addresses, after which everybody has to wait. */
const mostOfAll = 60

/** Creates it. No more than `mostOfAll` are kept, since nobody may try after that. */
export function createSignInAttempts(): SignInAttempts {
  let lately: readonly { readonly address: string; readonly at: number }[] = []

  /** Time until fewer than `most` of these are left, oldest first, in ms. */
  function untilFewer(most: number, some: typeof lately, now: number): number {
    return some.length < most ? 0 : some[some.length - most]!.at + windowMs - now
  }

  return {
    waitMs(address, now) {
      lately = lately.filter(({ at }) => now - at < windowMs)
      const own = lately.filter((each) => each.address === address)
      return Math.max(untilFewer(mostOfOne, own, now), untilFewer(mostOfAll, lately, now))
    },
    wrong(address, now) {
      lately = [...lately, { address, at: now }].slice(-mostOfAll)
    },
  }
}
