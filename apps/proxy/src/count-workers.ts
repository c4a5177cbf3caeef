import { autoWorkers, type Config, type Log, printProblem, workerObstacle } from '@wayleave/gateway'

/** Most workers: each takes some 100 MB. */
export const mostWorkers = 64

/** Reads `--workers`: a number from 1 to 64, or `auto`; undefined for anything else. */
export function readWorkers(text: string): number | 'auto' | undefined {
  if (text === 'auto') return text
  const count = /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN
  return count <= mostWorkers ? count : undefined
}

/** Finds how many workers serve a configuration. Those of `auto` become one, which the log tells, where several cannot serve it. */
export function countWorkers(wanted: number | 'auto', config: Config, log: Pick<Log, 'warn'>): number {
  if (wanted !== 'auto') return wanted
  const count = Math.min(autoWorkers(), mostWorkers)
  const obstacle = count > 1 ? workerObstacle(config) : undefined
  if (obstacle === undefined) return count
  log.warn({ reason: printProblem(obstacle) }, 'one process serves, as several cannot')
  return 1
}
