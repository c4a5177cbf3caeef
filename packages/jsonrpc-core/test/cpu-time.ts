/** How far `large` may outgrow `small`, which is an eighth of it: in linear time 8 times, in square time 64 times. */
const bound = 24

/**
 * How many times more CPU time `large` takes than `small`, its eighth, and whether that is linear. Of each the least time of several
 * runs counts: whatever else the machine does only adds to it.
 */
export async function growth(
  small: () => unknown,
  large: () => unknown,
): Promise<{ readonly times: number; readonly isLinear: boolean }> {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // Below a millisecond, what is measured is V8.
  const times = (): number => least[1]! / Math.max(1, least[0]!)
  for (let run = 0; run < 15 && (run < 2 || times() > bound); run++) {
    for (const [i, work] of [small, large].entries()) {
      const before = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(before)
      least[i] = Math.min(least[i]!, (user + system) / 1_000)
    }
  }
  return { times: times(), isLinear: times() <= bound }
}
