import type { KnownSpent, LimitGrant } from './authority.ts'
import { inTime } from './in-time.ts'
import type { BucketLease, LeasedBucket, LeaseHost } from './lease-host.ts'
import { isWhole, type Reservation } from './reservation.ts'

/** A question is asked at once when the lease runs low, at most so often, in ms. */
const lowMs = 5
/** Longest time until debts are settled, in ms. */
export const settleMs = 100

interface Question {
  /** Credits that were spent before it; below 0: those to give back. */
  readonly debt: number
  readonly want: number
  /** The part of `want` that calls must have whole. */
  readonly undivided: number
  readonly token: string
  readonly known: KnownSpent | undefined
  /** Calls and events whose prices are a part of `want`. */
  readonly reservations: readonly Reservation[]
}

/** Calls that a share of a quota must hold, so that a process spends it unasked: the others may have spent some meanwhile. */
const unaskedCalls = 16
/** The calls that all other processes make in a millisecond at most: an answer is believed while these cannot have spent what it told. */
const othersPerMs = 20
/** How long after its period a bucket is kept, for processes that settle late and clocks that differ, in ms. */
const marginMs = 86_400_000
/** A share of less calls is settled as often as one that runs low. */
const soonCalls = 64

/** Creates the lease of a bucket. `onAnswer` is called after each answer. */
export function createBucketLease(
  { id, perSecond, burst, end, keepMs: keptMs }: LeasedBucket,
  host: LeaseHost,
  onAnswer?: () => void,
): BucketLease {
  const { clock, authority, timeoutMs, asked } = host
  let share = host.share()
  let cap = burst * share
  /** Credits that may be spent. */
  let level = cap
  let levelAt = clock.now()
  let reported = burst
  let known: KnownSpent | undefined = perSecond === 0 ? { credits: 0, epoch: '' } : undefined
  /** That of the last answer. */
  let lastEpoch: string | undefined
  let owed = 0
  /** Spent since the open question was put. */
  let since = 0
  /** The highest price of a call so far. */
  let dearest = 0
  let question: Question | undefined
  let waiting: Reservation[] = []
  let isAsking = false
  let askedAt = Number.NEGATIVE_INFINITY
  let answeredAt = Number.NEGATIVE_INFINITY

  function flow(now: number): void {
    // A call that waited for an answer tells when it came.
    if (now <= levelAt) return
    if (perSecond > 0) level = Math.min(cap, level + (perSecond * share * (now - levelAt)) / 1_000)
    levelAt = now
  }

  /** Takes the answer to a question. Credits that were spent before it and are not wanted are covered by what flowed in. */
  function settle({ debt, want, reservations }: Question, { granted, remaining, epoch = '' }: LimitGrant): void {
    const now = clock.now()
    flow(now)
    const missing = cap - level
    share = host.share()
    cap = burst * share
    reported = remaining
    answeredAt = now
    if (perSecond > 0) {
      const reserved = granted < want ? 0 : neededFor(reservations)
      // After a silence, what flowed in meanwhile has paid for most of it.
      owed = Math.min(debt + since + reserved - granted, Math.max(0, missing)) - reserved
    }
    // Credits that the authority does not know, after the loss of its memory, are not given back.
    else owed -= want < 0 ? want : granted
    answerReservations(reservations, granted - want + neededFor(reservations))
    // Nothing will ever flow in that could settle the rest.
    if (perSecond === 0 && remaining === 0) owed = Math.min(owed, 0)
    level = Math.min(cap, remaining * share) - owed
    // Debts at its first answer from a memory are told as such, with the next question.
    if (known !== undefined && (owed <= 0 || epoch === (lastEpoch ?? ''))) known = { credits: burst - remaining, epoch }
    lastEpoch = epoch
    question = undefined
    onAnswer?.()
    refuseHopeless()
    if (waiting.length > 0) askForWaiting()
    // Credits that no call took go back.
    if (perSecond === 0 && !self.isSettled) host.settleSoon(self)
  }

  /** Admits the calls that `credits` are enough for. Of others, those that fit alone are asked for again. */
  function answerReservations(calls: readonly Reservation[], credits: number): void {
    let left = credits
    for (const call of calls) {
      const needed = neededFor([call])
      if (left >= leastFor(call)) {
        // An event with less than its price has the last credits of all.
        const debited = left < needed ? left : call.price
        left = Math.max(0, left - needed)
        owed += debited
        call.done(debited)
      } else if (calls.length > 1 && rest() >= leastFor(call)) waiting.push(call)
      else call.done(undefined)
    }
  }

  /** Refuses the calls that wait and that what is left is too little for. A rate would let them wait in a queue without an end. */
  function refuseHopeless(): void {
    let left = rest()
    for (const call of waiting.splice(0)) {
      if (left < leastFor(call)) {
        call.done(undefined)
        continue
      }
      waiting.push(call)
      if (perSecond > 0) left -= neededFor([call])
    }
  }

  /** Takes the calls that wait and that together fit into what is left; at least one. Events come first, as what is undivided is debited last. */
  function takeWaiting(): readonly Reservation[] {
    let left = rest()
    let count = 0
    for (const call of waiting) {
      left -= neededFor([call])
      if (left < 0 && count > 0) break
      count++
    }
    return waiting.splice(0, count).toSorted((a, b) => Number(isWhole(a)) - Number(isWhole(b)))
  }

  const leastFor = ({ least }: Reservation): number => Math.min(least, burst)

  const neededFor = (calls: readonly Reservation[]): number =>
    calls.reduce((sum, { price }) => sum + Math.min(price, burst), 0)

  function askForWaiting(): void {
    if (host.mayAsk(clock.now())) ask()
    else decideByShare(waiting.splice(0))
  }

  function decideByShare(calls: readonly Reservation[]): void {
    for (const { price, least, done } of calls) {
      const isDebited = cap > 0 && level >= Math.min(least, cap)
      if (isDebited) self.debit(price, clock.now())
      done(isDebited ? price : undefined)
    }
  }

  function succeeded(asks: Question, grant: LimitGrant): void {
    host.answered()
    settle(asks, grant)
  }

  function failed(why: unknown): void {
    host.failed(why)
    if (question !== undefined) {
      decideByShare([...question.reservations, ...waiting])
      question = { ...question, reservations: [] }
    }
    waiting = []
    // Whether the authority answers again is found out even if no call comes.
    host.settleSoon(self)
  }

  function ask(): void {
    const now = clock.now()
    if (isAsking || !host.mayAsk(now)) return
    askedAt = now
    flow(now)
    // A bucket that was full meanwhile lost what flowed in, and so much needs no settling.
    if (question === undefined) {
      const reservations = takeWaiting()
      const debt = Math.ceil(perSecond > 0 ? Math.min(owed, cap - level) : owed)
      const all = debt + neededFor(reservations)
      const want = perSecond > 0 ? Math.max(0, all) : all
      const undivided = neededFor(reservations.filter(isWhole))
      question = { debt, want, undivided, token: host.newToken(), known, reservations }
      since = 0
    }
    const asks = question
    let answer
    try {
      const toEnd = end === undefined ? undefined : Math.ceil(Math.max(0, end - clock.date())) + marginMs
      const keepMs = keptMs ?? toEnd
      answer = authority.take(id, perSecond, burst, asks.want, asks.token, asks.known, asks.undivided, keepMs)
    } catch (why) {
      return failed(why)
    }
    if (!(answer instanceof Promise)) return succeeded(asks, answer)
    const done = settleLater(asks, answer).finally(() => void asked.delete(done))
    asked.add(done)
  }

  async function settleLater(asks: Question, answer: Promise<LimitGrant>): Promise<void> {
    isAsking = true
    let grant
    try {
      grant = await inTime(answer, timeoutMs, clock)
    } catch (why) {
      isAsking = false
      return failed(why)
    }
    isAsking = false
    succeeded(asks, grant)
  }

  /** The credits that are left for all processes and their calls that wait. */
  function rest(): number {
    const flowed = perSecond > 0 && reported < burst ? (perSecond * (clock.now() - answeredAt)) / 1_000 : 0
    return Math.max(0, Math.floor(Math.min(burst, reported + flowed) - owed))
  }

  /** Whether other processes spend the bucket, too. */
  const isShared = (): boolean => host.share() < 1

  /** The credits that the share must hold for a call that the authority is not asked for. */
  function neededUnasked(price: number, now: number): number {
    const most = Math.max(dearest, price)
    // A great burst refills before the spending of others matters.
    if (perSecond > 0) return cap < most * unaskedCalls ? Number.POSITIVE_INFINITY : Math.min(price, cap)
    const believedMs = Math.max(2 * settleMs, reported / (most * othersPerMs))
    // Alone this process asked seldom; while the authority is silent, its share is all that it has.
    const isOld = share === 1 || (host.isHeard() && now - answeredAt > believedMs)
    return lastEpoch === undefined || isOld ? Number.POSITIVE_INFINITY : most * unaskedCalls
  }

  const self: BucketLease = {
    ask,
    get isSettled() {
      return question === undefined && (perSecond > 0 ? owed <= 0 : Math.ceil(owed) === 0)
    },
    get owed() {
      return owed
    },
    isIdle(now) {
      flow(now)
      return owed <= 0 && question === undefined && level >= cap
    },
    wait(price, now) {
      flow(now)
      if (cap === 0) return Number.POSITIVE_INFINITY
      const needed = isShared() && host.mayAsk(now) ? neededUnasked(price, now) : Math.min(price, cap)
      if (level >= needed) return 0
      if (now - askedAt >= lowMs && !self.mayReserve(price, now)) {
        ask()
        if (level >= needed) return 0
      }
      if (perSecond === 0) return Number.POSITIVE_INFINITY
      const missing =
        isShared() && host.mayAsk(now) ? Math.min(price, burst) - self.remaining() : (needed - level) / share
      return Math.max(1, (missing * 1_000) / perSecond)
    },
    debit(credits, now) {
      flow(now)
      level -= credits
      owed += credits
      since += credits
      const age = levelAt - askedAt
      dearest = Math.max(dearest, credits)
      const isLow = owed > level || (perSecond === 0 && isShared() && level < dearest * soonCalls)
      if (age >= settleMs || (isLow && age >= lowMs)) ask()
      if (owed > 0 || (perSecond === 0 && owed < 0)) host.settleSoon(self)
    },
    mayReserve(price, now) {
      if (!isShared() || !host.mayAsk(now) || burst === 0) return false
      return self.remaining() >= Math.min(price, burst)
    },
    reserve(price, least) {
      return new Promise((done) => {
        waiting.push({ price, least, done })
        askForWaiting()
      })
    },
    restore(credits) {
      if (known?.epoch !== '') return
      known = { credits: Math.max(known.credits, credits), epoch: '' }
      reported = Math.max(0, Math.min(reported, burst - credits))
      level = Math.min(level, reported * share)
    },
    remaining() {
      if (perSecond === 0) return rest()
      const now = clock.now()
      flow(now)
      if (isShared() && !host.mayAsk(now)) return Math.max(0, Math.floor(Math.min(level, rest())))
      // Calls that wait were promised their credits.
      return Math.max(0, rest() - neededFor(waiting) - neededFor(question?.reservations ?? []))
    },
  }
  return self
}
