import type { Explanation } from '@wayleave/gateway'
import { askAdmin } from '../accounts/ask-admin.ts'
import type { GatewayPlace } from '../accounts/open-accounts.ts'
import { oneLine } from '../output/visible.ts'

/** The form of a trace id, with the suffixes of calls of a connection and of a batch. */
export const traceIdForm: RegExp = /^[0-9a-f-]{1,64}(?:\.\d{1,16}){0,2}$/i

/** The calls that a gateway explains, or a sentence that tells why it explains none. */
export type Explained =
  | { readonly calls: readonly Explanation[]; readonly fault?: undefined }
  | { readonly calls?: undefined; readonly fault: string }

/** Longest refusal that is told, in characters. */
const longestRefusal = 300

/** Asks a gateway what became of the calls of a trace id, or of the last ones that went badly. Never rejects. */
export async function askExplain(
  place: GatewayPlace,
  id: string | undefined,
  signal?: AbortSignal,
): Promise<Explained> {
  const { status, body } = await askAdmin(place, 'GET', id === undefined ? '/explain' : `/explain/${id}`, signal)
  const calls = status === 200 ? readCalls(body) : undefined
  return calls === undefined ? { fault: whyNot(status, body) } : { calls }
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

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

/** Tells why there is no explanation, in the words of the gateway where it has some. */
function whyNot(status: number, body: string): string {
  const line = body.trim()
  const words =
    line === '' || line.startsWith('<') || line.startsWith('{') ? undefined : oneLine(line.slice(0, longestRefusal))
  if (status === 401)
    return `${words ?? 'it was refused'}; the token is that of $WAYLEAVE_ADMIN_TOKEN, --token-file or --token, and needs the scope read`
  if ([0, 400, 403, 404].includes(status) && words !== undefined) return words
  return `expected an explanation, got HTTP status ${status}: --admin URL names the admin listener of a gateway`
}
