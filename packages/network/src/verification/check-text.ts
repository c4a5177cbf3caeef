import { type LongCheck, runCheck, type Verdict } from '@wayleave/evm-verify'

/** A check of the receipts or the logs of a block. */
export type BlockCheck = Extract<LongCheck, { readonly check: 'receipts' | 'logs' }>

/** A check whose answer is a JSON text, as are the receipts of `expected`: to send a text to a thread takes a tenth of the time of its value. */
export interface TextCheck {
  readonly ofText: BlockCheck
}

/** Runs a check on this thread, and parses its texts first; any value and any text gets a verdict. */
export function runAnyCheck(check: LongCheck | TextCheck): Verdict {
  if (!('ofText' in check)) return runCheck(check)
  const parsed = parse(check.ofText)
  return parsed === undefined ? { ok: false, field: '', reason: 'expected JSON' } : runCheck(parsed)
}

function parse(check: BlockCheck): BlockCheck | undefined {
  try {
    const answer: unknown = JSON.parse(check.answer as string)
    if (check.check === 'receipts' || check.expected.receipts === undefined) return { ...check, answer }
    return {
      ...check,
      answer,
      expected: { ...check.expected, receipts: JSON.parse(check.expected.receipts as string) },
    }
  } catch {
    return undefined
  }
}
