import type { Scenario } from '../scenario.ts'
import { dead } from './dead.ts'
import { equal } from './equal.ts'
import { fallback } from './fallback.ts'
import { flaky } from './flaky.ts'
import { hang } from './hang.ts'
import { paid } from './paid.ts'
import { wrong } from './wrong.ts'

/** All scenarios, in the order in which they are run. */
export const scenarios: readonly Scenario[] = [hang, dead, flaky, paid, fallback, equal, wrong]
