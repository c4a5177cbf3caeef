import type { NewConnectionsResult } from './run.ts'

/** The least part of the CPU time of all workers that each must have, so that calls did change between them. */
const leastShare = 0.5

/** Names the bars that do not hold, in sentences without a full stop. */
export function judgeNewConnections(result: NewConnectionsResult): readonly string[] {
  const { headsBack, noncesBack, failed, sent, cpuSeconds, withoutGateway } = result
  const even = cpuSeconds.reduce((sum, cpu) => sum + cpu, 0) / cpuSeconds.length
  return [
    ...(headsBack > 0 ? [`${headsBack} heads went back`] : []),
    ...(noncesBack > 0 ? [`${noncesBack} nonces went back`] : []),
    ...(failed > 0 ? [`${failed} calls failed`] : []),
    ...(sent === 0 ? ['no transaction was sent, so that nonces were not tried'] : []),
    ...(cpuSeconds.some((cpu) => cpu < even * leastShare) ? ['one worker served less than half of its part'] : []),
    ...(withoutGateway.headsBack === 0 ? ['the nodes were never at different heights, so that nothing was tried'] : []),
  ]
}
