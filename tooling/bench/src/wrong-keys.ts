// `node src/wrong-keys.ts [rounds]`: does the time of a refusal tell how nearly right a key or a secret is? Prints the median time of a
// refusal by case, and Welch's t against a secret that shares nothing with the right one. The rounds are interleaved; 4.5 is the
// usual threshold for a leak (Goodwill et al., "A testing methodology for side-channel resistance validation").
import { hash } from 'node:crypto'
import { argv, stdout } from 'node:process'
import { pathToFileURL } from 'node:url'
import { createAuthenticator, createMemoryKeyStore, printBasic } from '@wayleave/auth'
import { systemClock } from './defaults.ts'
import { median } from './statistics.ts'

/** A kind of wrong credentials: the key of a path and the values of `Authorization`, of one length. */
interface WrongCase {
  readonly name: string
  readonly keys: readonly string[]
  readonly headers: readonly string[]
}

export interface WrongTimes {
  readonly name: string
  /** Nanoseconds a refusal. */
  readonly medianNanos: number
  /** Welch's t against the second case, of the nine tenths of all batches that were fastest. */
  readonly t: number
}

const variants = 64
const batch = 500
/** As many known keys as unknown ones, since a text that is always the same is faster. */
const right = Array.from({ length: variants }, (_, i) => ({ key: randomHex(i + 2_000), secret: randomHex(i + 3_000) }))

/** Makes 32 hex digits that are always the same. */
function randomHex(seed: number): string {
  return hash('sha256', `wayleave ${seed}`).slice(0, 32)
}

/** Makes wrong secrets that share their first `shared` characters with the right ones, and differ in the next. */
function wrongSecrets(shared: number): readonly string[] {
  return right.map(({ secret }, i) => {
    const next = secret[shared] === '0' ? '1' : '0'
    return `${secret.slice(0, shared)}${next}${randomHex(i + 100).slice(shared + 1)}`
  })
}

function wrongCases(): readonly WrongCase[] {
  const strangers = Array.from({ length: variants }, (_, i) => randomHex(i + 1_000))
  const own = right.map(({ key }) => key)
  const headersOf = (shared: number): readonly string[] => wrongSecrets(shared).map((secret) => printBasic('', secret))
  return [
    { name: 'an unknown key', keys: strangers, headers: headersOf(0) },
    ...[0, 1, 16, 31].map((shared) => ({
      name: `a secret that shares ${shared} bytes`,
      keys: own,
      headers: headersOf(shared),
    })),
  ]
}

/** Times refusals: in each round one batch of every case, in an order that turns. */
export function timeWrongKeys(rounds: number, now: () => number): readonly WrongTimes[] {
  const others = Array.from({ length: 1_000 }, (_, i) => ({
    key: randomHex(i + 10_000),
    secret: randomHex(i + 20_000),
  }))
  const keys = createMemoryKeyStore(
    [{ id: 'p', name: 'p', requireSecret: true, keys: [...right, ...others] }],
    (text) => hash('sha256', text),
  )
  const authenticate = createAuthenticator({ keys, sha256: (text) => hash('sha256', text) })
  const cases = wrongCases()
  const samples = cases.map((): number[] => [])
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const at = (turn + round + rounds) % cases.length
      const nanos = timeBatch(cases[at]!)
      if (round >= 0) samples[at]!.push(nanos)
    }
  }
  const limit = samples.flat().toSorted((a, b) => a - b)[Math.floor(samples.flat().length * 0.9)]!
  const cropped = samples.map((values) => values.filter((value) => value <= limit))
  return cases.map(({ name }, i) => ({ name, medianNanos: median(samples[i]!), t: welch(cropped[i]!, cropped[1]!) }))

  function timeBatch({ keys: given, headers }: WrongCase): number {
    const start = now()
    for (let i = 0; i < batch; i++) {
      const result = authenticate(given[i % variants]!, headers[i % variants]!)
      if (result instanceof Promise || result.failure === undefined) throw new Error('a refusal was expected')
    }
    return ((now() - start) * 1e6) / batch
  }
}

/** Welch's t of two series; 0 where both are the same. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [first, second] = [a, b].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
    return { mean, error: variance / values.length }
  }) as [{ mean: number; error: number }, { mean: number; error: number }]
  const spread = Math.sqrt(first.error + second.error)
  return first.mean === second.mean ? 0 : (first.mean - second.mean) / spread
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const rounds = Number(argv[2] ?? 2_000)
  if (!Number.isSafeInteger(rounds) || rounds < 10) throw new RangeError('expected a number of rounds, 10 or more')
  stdout.write(`${'case'.padEnd(32)} ${'ns (median)'.padStart(12)} ${"Welch's t".padStart(10)}\n`)
  for (const { name, medianNanos, t } of timeWrongKeys(rounds, systemClock.now)) {
    stdout.write(`${name.padEnd(32)} ${medianNanos.toFixed(0).padStart(12)} ${t.toFixed(2).padStart(10)}\n`)
  }
}
