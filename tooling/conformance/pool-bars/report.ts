import { holds } from './measure/figure.ts'
import type { Result } from './run-scenario.ts'

/** Prints the results of one gateway in one scenario for people, one thing a line. */
export function printResult({ scenario, product, figures, machine, ownDelay, broken }: Result): readonly string[] {
  const stolen = machine.stolen === undefined ? 'unknown' : `${(machine.stolen * 100).toFixed(1)} %`
  return [
    ...figures.map((each) => {
      const { name, printed, bar } = each
      const verdict = bar === undefined ? '' : ` (bar ${bar.printed}${holds(each) ? '' : ', BROKEN'})`
      return `${scenario}, ${product}: ${name}: ${printed}${verdict}`
    }),
    ...(figures.length === 0 ? broken.map((sentence) => `${scenario}, ${product}: ${sentence}`) : []),
    `${scenario}, ${product}: machine: ${machine.cores} cores, load ${machine.load.toFixed(1)}, stolen ${stolen}; ` +
      `callers late by ${ownDelay.p99.toFixed(0)} ms at p99, ${ownDelay.max.toFixed(0)} ms at most`,
  ]
}
