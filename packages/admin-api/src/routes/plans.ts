import { pageQuery } from '../model/page.ts'
import { plan, planFields, planPage, viewPlan } from '../model/plan.ts'
import { listBoth, type RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

export function planRoutes({ accounts, configured }: RouteContext): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/plans',
      summary: 'List plans: those of the configuration, then those of the store',
      scopes: ['read', 'accounts'],
      query: pageQuery,
      result: planPage,
      run: ({ query }) =>
        listBoth(
          query,
          Array.from(configured.plans, ([id, kept]) => [id, viewPlan(kept, 'config')] as const),
          (page) => accounts.plans(page),
          (kept) => kept.map((record) => viewPlan(record, 'store')),
        ),
    }),
    route({
      method: 'PUT',
      path: '/plans/{plan}',
      summary: 'Make a plan, or replace it; all keys and projects that have it follow',
      scopes: ['accounts'],
      body: planFields,
      result: plan,
      async run({ params, body: { name, limits }, by }) {
        const id = params['plan']!
        configured.refuse('plan', id)
        return viewPlan(await accounts.putPlan({ id, name: name ?? id, limits }, by), 'store')
      },
    }),
    route({
      method: 'DELETE',
      path: '/plans/{plan}',
      summary: 'Remove a plan that nothing has',
      scopes: ['accounts'],
      async run({ params, by }) {
        configured.refuse('plan', params['plan']!)
        await accounts.removePlan(params['plan']!, by)
      },
    }),
  ]
}
