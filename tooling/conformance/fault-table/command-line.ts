import { flag, readOptions, text, wholeOf } from '@wayleave/bench/program'
import { faults } from './faults.ts'
import { usuallyAtOnce } from './run-table.ts'

export const usage = `pnpm --filter @wayleave/conformance fault-table [options]

  --only N        a fault by number; may stand more than once (all)
  --python FILE   a Python that has web3.py (python3)
  --at-once N     faults that are run beside each other (${usuallyAtOnce})
  --list          prints the faults, and why their outcomes are right
  --json          one JSON object, for programs
`

/** Parses the command line; `only` are numbers of faults, from 1. @throws UsageError */
export function parseCommandLine(args: readonly string[]) {
  const {
    'at-once': atOnce,
    only,
    ...values
  } = readOptions(args, {
    only: { type: 'string', multiple: true, default: faults.map((_fault, i) => `${i + 1}`) },
    python: text('python3'),
    'at-once': text(`${usuallyAtOnce}`),
    list: flag,
    json: flag,
  })
  return {
    ...values,
    only: only.map((number) => wholeOf('only', number, 1, faults.length)),
    atOnce: wholeOf('at-once', atOnce, 1, faults.length),
  }
}
