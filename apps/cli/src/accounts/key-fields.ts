import type { KeyPatch, NewKey } from '@wayleave/admin-api'
import { type FlagValues, jsonFlag } from './flags.ts'
import { momentFlag } from './moments.ts'

/** The flags that set members of a key, for `parseArgs`. */
export const keyFieldFlags = {
  label: { type: 'string' },
  expires: { type: 'string' },
  plan: { type: 'string' },
  limits: { type: 'string' },
} as const

/** The help text of {@link keyFieldFlags}. */
export const keyFieldHelp = `  --label TEXT        a person's name for the key
  --expires WHEN      unknown from then on: 30d, 2027-01-31 or 2027-01-31T12:00:00Z
  --plan PLAN         the limits of that plan
  --limits JSON       limits of its own, or @FILE: {"perSecond":{"credits":500},"perDay":{"credits":1000000}}`

type Values = FlagValues<typeof keyFieldFlags>

/** Reads the members of a new key. @throws UsageError */
export async function newKeyOf({ label, expires, plan, limits }: Values): Promise<NewKey> {
  const { systemClock } = await import('@wayleave/jsonrpc-core')
  return {
    ...(label !== undefined && { label }),
    ...(expires !== undefined && { expiresAt: momentFlag('--expires', expires, systemClock.date(), 'ahead') }),
    ...(plan !== undefined && { plan }),
    ...(limits !== undefined && { limits: (await jsonFlag('--limits', limits)) as object }),
  }
}

/** Reads the change of a key; `never` and `none` take a member away. @throws UsageError */
export async function keyPatchOf({ expires, plan, limits, ...rest }: Values): Promise<KeyPatch> {
  return {
    ...(await newKeyOf({
      ...rest,
      ...(expires !== 'never' && { expires }),
      ...(plan !== 'none' && { plan }),
      ...(limits !== 'none' && { limits }),
    })),
    ...(expires === 'never' && { expiresAt: null }),
    ...(plan === 'none' && { plan: null }),
    ...(limits === 'none' && { limits: null }),
  }
}
