import type * as auth from '@wayleave/auth'
import type { Plan } from '@wayleave/metering'

/** Limits that any number of keys and projects have. */
export type StoredPlan = auth.StoredPlan<Plan>
/** The holder of keys. */
export type StoredProject = auth.StoredProject<Plan>
/** An API key. It holds digests, never the key or a secret. */
export type StoredKey = auth.StoredKey<Plan>
