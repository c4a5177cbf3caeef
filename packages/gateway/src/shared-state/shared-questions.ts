import type { Clock } from '@wayleave/jsonrpc-core'
import type { WireAnswer } from './rpc-wire.ts'

/** Questions that several workers ask at about the same time, each asked once. */
export interface SharedQuestions {
  /** Answers what was asked under a name, or asks. */
  ask(name: string, keepMs: number, ask: () => Promise<WireAnswer>): Promise<WireAnswer>
}

/** The bounds of the answers that are kept. */
const mostAnswers = 1_024
const mostCharacters = 32 * 1024 * 1024

/** Shares questions in flight, and keeps results for a moment. Errors and `null` are shared while they are in flight alone. */
export function createSharedQuestions({ clock }: { readonly clock: Clock }): SharedQuestions {
  const inFlight = new Map<string, Promise<WireAnswer>>()
  /** The oldest first. */
  const kept = new Map<string, { readonly answer: WireAnswer; readonly length: number; readonly until: number }>()
  let characters = 0

  function drop(name: string): void {
    const one = kept.get(name)
    if (one === undefined) return
    characters -= one.length
    kept.delete(name)
  }

  function keep(name: string, answer: WireAnswer, keepMs: number): void {
    if (!('result' in answer) || answer.result === 'null') return
    const { length } = answer.result
    drop(name)
    if (length > mostCharacters) return
    const now = clock.now()
    for (const [other, { until }] of kept) {
      if (until > now && kept.size < mostAnswers && characters + length <= mostCharacters) break
      drop(other)
    }
    kept.set(name, { answer, length, until: now + keepMs })
    characters += length
  }

  return {
    ask(name, keepMs, ask) {
      const known = kept.get(name)
      if (known !== undefined && known.until > clock.now()) return Promise.resolve(known.answer)
      let asked = inFlight.get(name)
      if (asked === undefined) {
        asked = ask()
          .then((answer) => {
            keep(name, answer, keepMs)
            return answer
          })
          .finally(() => inFlight.delete(name))
        inFlight.set(name, asked)
      }
      return asked
    },
  }
}
