import { realSurroundings } from '@wayleave/gateway'
import { createSharedStores } from '@wayleave/stores/shared-state'
import { describe } from 'vitest'
// @boundaries-ignore Laws for tests are in no package.
import { lawsOfOneProcess, lawsOfSeveralProcesses, type SharedScene } from '../../../stores/test/shared-state-laws.ts'
import { createPrimaryPort } from '../../src/shared-state/primary-port.ts'
import { createWorkerPort } from '../../src/shared-state/worker-port.ts'
import { channelPair } from '../workers/channel-pair.ts'

const { clock } = realSurroundings

/** Workers of one primary. `isFirstPrimary`: the first process is the primary itself. */
function sceneOf(isFirstPrimary: boolean): SharedScene {
  let processes = 0
  const primary = createPrimaryPort({ clock, processes: () => processes })
  return {
    async join() {
      if (processes++ === 0 && isFirstPrimary) return createSharedStores(primary, clock)
      const pair = channelPair()
      primary.serve(pair.primary)
      return createSharedStores(createWorkerPort(pair.worker, { clock }), clock)
    },
  }
}

describe.each([
  ['workers', false],
  ['a primary and its workers', true],
])('state of %s', (_, isFirstPrimary) => {
  const begin = async (): Promise<SharedScene> => sceneOf(isFirstPrimary)
  lawsOfOneProcess(begin)
  lawsOfSeveralProcesses(begin)
})
