import { autoWorkers, type Config, printProblem, workerObstacle } from '@wayleave/gateway'

/** Most workers: each takes some 100 MB. */
export const mostWorkers = 64

/** Reads `--workers`: a number from 1 to 64, or `auto`; undefined for anything else. */
export function readWorkers(text: string): number | 'auto' | undefined {
  if (text === 'auto') return text
  const count = /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN
  return count <= mostWorkers ? count : undefined
}

/** Finds how many workers serve a configuration. Those of `auto` become one where several cannot serve it; `tell` is told why. */
export function countWorkers(wanted: number | 'auto', config: Config, report: (why: string) => void): number {
  if (wanted !== 'auto') return wanted
  const count = Math.min(autoWorkers(), mostWorkers)
  const obstacle = count > 1 ? workerObstacle(config) : undefined
  if (obstacle === undefined) return count
  report(printProblem(obstacle))
  return 1
}
