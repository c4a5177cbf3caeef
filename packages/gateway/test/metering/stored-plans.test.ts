import { createLog } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createLimits } from '@wayleave/metering'
import { expect, it } from 'vitest'
import { storedPlans } from '../../src/metering/stored-plans.ts'

const caller = { project: { id: 'shop', name: 'shop', requireSecret: false }, keyId: 'k' }
const daily = { perDay: { credits: 80 } }
const misspelt = { perDya: { credits: 80 } } as unknown as typeof daily

it('limits of the store that cannot be read refuse every call, which the log tells, and leave others alone', () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
  const stored = {
    limitsOf: ({ keyId }: { readonly keyId: string }) => ({
      key: keyId === 'k' ? misspelt : daily,
      project: undefined,
    }),
    limits: {
      version: 1,
      all: () => [
        { scope: 'key', id: 'k', projectId: 'shop', limits: misspelt } as const,
        { scope: 'key', id: 'sound', projectId: 'shop', limits: daily } as const,
      ],
    },
  }
  const plans = storedPlans(() => ({ planOf: () => ({}), byName: new Map() }), stored, log)
  const limits = createLimits({ clock: new FakeClock() })
  const admitted = (keyId: string) =>
    limits
      .of({ id: keyId, plan: plans.planOf({ ...caller, keyId }).key }, { id: 'shop' })
      .admit('eth_getBalance', '192.0.2.1', 80) === undefined
  expect([admitted('k'), admitted('sound')]).toEqual([false, true])
  expect(plans.planOf(caller).key).toBe(plans.planOf(caller).key)
  expect(plans.accounts().map(({ plan }) => plan)).toEqual([plans.planOf(caller).key, daily])
  expect(lines[0]).toContain('limits of the store cannot be used; calls under them are refused')
  expect(lines[0]).toContain('perDya')
})
