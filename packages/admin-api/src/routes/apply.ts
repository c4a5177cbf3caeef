import { checkState } from '../apply/check-state.ts'
import { checkStore } from '../apply/check-store.ts'
import { stepsTo } from '../apply/steps.ts'
import { appliedState, desiredState } from '../model/state.ts'
import type { RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

/** The route that makes the store equal to a state. */
export function applyRoutes({ accounts, configured, sha256 }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/apply',
      summary: 'Make the store equal to a state, or with dryRun only tell the changes; repeat it if it was broken off',
      scopes: ['accounts'],
      body: desiredState,
      result: appliedState,
      async run({ body, by }) {
        checkState(body, configured, sha256)
        const snapshot = await accounts.snapshot()
        await checkStore(body, snapshot, accounts, configured, sha256)
        const steps = stepsTo(body, snapshot, configured, sha256)
        const { dryRun = false } = body
        // Steps run one after another, as the order says.
        if (!dryRun) for (const { make } of steps) await make(accounts, by)
        return { dryRun, changes: steps.map(({ change }) => change) }
      },
    }),
  ]
}
