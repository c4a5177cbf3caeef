import { families } from './families/families.ts'
import type { Attack, AttackContext } from './family.ts'
import { answerParent } from './measure/child.ts'
import { watchStalls } from './measure/stalls.ts'

/* Runs one attack, in a process of its own. */

const stalls = watchStalls()
const tallies = new Map<string, number>()
let attack: Attack | undefined
let count = 0

const tally = (what: string, many = 1): void => void tallies.set(what, (tallies.get(what) ?? 0) + many)

answerParent({
  async start({ number, ...target }: { number: number } & Omit<AttackContext, 'next' | 'tally' | 'strangePath'>) {
    const family = families.find((each) => each.number === number)!
    const strangePath = (): string => `/one/v3/${(count++).toString(16).padStart(32, '0')}`
    attack = await family.start({ ...target, strangePath, next: () => count++, tally })
  },
  stop() {
    attack?.stop()
    const { user, system } = process.cpuUsage()
    return { tallies: Object.fromEntries(tallies), cpuMs: (user + system) / 1000, delay: stalls.take() }
  },
})
