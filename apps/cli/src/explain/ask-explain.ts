import type { Explanation } from '@wayleave/gateway'
import { areTexts, askAdmin, whyNot } from '../accounts/ask-admin.ts'
import type { GatewayPlace } from '../accounts/gateway-place.ts'

/** The form of a trace id, with the suffixes of calls of a connection and of a batch. */
export const traceIdForm: RegExp = /^[0-9a-f-]{1,64}(?:\.\d{1,16}){0,2}$/i

/** The calls that a gateway explains, or a sentence that tells why it explains none. */
export type Explained =
  | { readonly calls: readonly Explanation[]; readonly fault?: undefined }
  | { readonly calls?: undefined; readonly fault: string }

/** Asks a gateway what became of the calls of a trace id, or of the last ones that went badly. Never rejects. */
export async function askExplain(
  place: GatewayPlace,
  id: string | undefined,
  signal?: AbortSignal,
): Promise<Explained> {
  const answer = await askAdmin(place, 'GET', id === undefined ? '/explain' : `/explain/${id}`, signal)
  const calls = answer.status === 200 ? readCalls(answer.body) : undefined
  return calls === undefined ? { fault: whyNot(answer, 'an explanation', 'read', [0, 400, 403, 404]) } : { calls }
}

function readCalls(body: string): readonly Explanation[] | undefined {
  try {
    const { calls } = JSON.parse(body) as { readonly calls: readonly Explanation[] }
    return calls.every((call) => isExplanation(call)) ? calls : undefined
  } catch {
    return undefined
  }
}

function isExplanation({ id, time, outcome, cause, ms, attempts, candidates }: Explanation): boolean {
  return (
    areTexts(id, time, outcome, cause) &&
    typeof ms === 'number' &&
    attempts.every(({ atMs, text }) => typeof atMs === 'number' && areTexts(text)) &&
    candidates.every(({ text }) => areTexts(text))
  )
}
