import type { JSX } from 'preact'
import { hrefOf, query } from '../../router.ts'

/** Leads to projects and to plans. */
export function AccountTabs(): JSX.Element {
  const isPlans = query.value.get('view') === 'plans'
  return (
    <nav class="tabs" aria-label="Accounts">
      <a href={hrefOf('projects')} aria-current={isPlans ? undefined : 'page'}>
        Projects
      </a>
      <a href={hrefOf('projects', { view: 'plans' })} aria-current={isPlans ? 'page' : undefined}>
        Plans
      </a>
    </nav>
  )
}
