import type { Json } from './chain.ts'

/** A false answer to a call, or undefined for an honest one; as text where its bytes matter. */
export interface Liar {
  readonly name: string
  readonly about: string
  /** The time after which it answers, in ms. Default: at once. */
  readonly delayMs?: number
  /** Makes the body's `result` or `error` from the truth; `nth` counts its calls. */
  lie(truth: unknown, nth: number): { readonly text: string } | undefined
}

const result = (value: unknown): { readonly text: string } => ({ text: `"result":${JSON.stringify(value)}` })

/** Changes the last hex digit of the first text that has one, as deep as it lies; so all else is as an honest node has it. */
function almost(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\da-f]$/, (digit) => (digit === '1' ? '2' : '1'))
  if (Array.isArray(value)) return value.length === 0 ? ['0x1'] : [almost(value[0]), ...value.slice(1)]
  if (typeof value !== 'object' || value === null) return '0x1'
  const member = ['status', 'stateRoot', 'data'].find((name) => name in value) ?? Object.keys(value)[0]!
  return { ...value, [member]: almost((value as Json)[member]) }
}

let earlier: unknown
const leftOut: ReadonlySet<string> = new Set(['status', 'type', 'effectiveGasPrice', 'gasLimit', 'baseFeePerGas'])

export const liars: readonly Liar[] = [
  { name: 'none', about: 'all three are honest', lie: () => undefined },
  { name: 'always', about: 'each answer is false in one digit', lie: (truth) => result(almost(truth)) },
  {
    name: 'sometimes',
    about: 'one answer in ten is false',
    lie: (truth, nth) => (nth % 10 === 0 ? result(almost(truth)) : undefined),
  },
  { name: 'slow', about: 'each answer is false and takes 30 ms', delayMs: 30, lie: (truth) => result(almost(truth)) },
  {
    name: 'copies',
    about: 'gives the true answer to the question before',
    lie(truth) {
      const before = earlier
      earlier = truth
      return before === undefined || JSON.stringify(before) === JSON.stringify(truth) ? undefined : result(before)
    },
  },
  {
    name: 'empty',
    about: 'says that there is nothing',
    lie: (truth) => result(Array.isArray(truth) ? [] : typeof truth === 'string' ? '0x' : null),
  },
  {
    name: 'reverts',
    about: 'says that the call reverted',
    lie: () => ({ text: '"error":{"code":3,"message":"execution reverted","data":"0x"}' }),
  },
  {
    name: 'silent',
    about: 'leaves out what nodes may leave out: the status of a receipt, its type and fee, the limit of a block',
    lie(truth) {
      if (typeof truth !== 'object' || truth === null || Array.isArray(truth)) return undefined
      const kept = Object.entries(truth).filter(([name]) => !leftOut.has(name))
      return result(Object.fromEntries(kept))
    },
  },
  {
    name: 'inventive',
    about: 'adds a member that nodes may have',
    lie(truth) {
      if (Array.isArray(truth)) return result(truth.map((item: Json) => ({ ...item, blockTimestamp: '0xbad' })))
      if (typeof truth !== 'object' || truth === null) return undefined
      return result({ ...truth, ['parentHash' in truth ? 'withdrawalsRoot' : 'l1Fee']: '0xbad' })
    },
  },
  {
    name: 'two faces',
    about: 'gives a member twice, first the false one',
    lie(truth) {
      if (typeof truth !== 'object' || truth === null || Array.isArray(truth)) return result(almost(truth))
      const [member] = Object.keys(truth)
      const text = JSON.stringify(truth)
      return { text: `"result":{${JSON.stringify(member)}:"0xbad",${text.slice(1)}` }
    },
  },
]
