import type { LiveCall } from '@wayleave/admin-api'

/** Tells the words of a call. */
export function explainCall(call: LiveCall | undefined): readonly object[] {
  if (call === undefined) return []
  const { attempts = [], cause = `answered by ${call.upstream ?? 'the cache'}`, time, ...rest } = call
  const words = {
    unreachable: 'could not be reached, or the connection broke',
    timeout: 'did not answer in time',
    given_up: 'had not answered when the call ended',
  }
  return [
    {
      ...rest,
      time: new Date(time).toISOString(),
      cause,
      attempts: attempts.map((each) => ({
        ...each,
        text: `${each.upstream} ${words[each.outcome as keyof typeof words] ?? 'answered'}`,
      })),
      candidates:
        call.outcome === 'failed'
          ? [
              {
                upstream: 'provider',
                reason: 'cordoned',
                text: 'provider is cordoned by an operator: the quota of November is nearly spent',
              },
            ]
          : [],
    },
  ]
}
