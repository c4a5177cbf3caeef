import { computed, type ReadonlySignal, signal, type Signal } from '@preact/signals'
import { admin } from './api/admin.ts'
import { hasEnded, setCsrf, setOnSession } from './api/ask.ts'
import { asConsoleError, type ConsoleError } from './api/console-error.ts'
import type { Session, SessionNetwork } from './api/model.ts'
import { browser } from './defaults.ts'
import { keyInHand } from './own-keys.ts'
import { closeToasts } from './parts/toast.tsx'

/** The session: undefined until it is known. */
export const session: Signal<Session | undefined> = signal(undefined)

/** Why the session could not be asked for. */
export const sessionFault: Signal<ConsoleError | undefined> = signal(undefined)

/** What the sign-in page says above its form, such as that a session has ended. */
export const signInNotice: Signal<string> = signal('')

export const networks: ReadonlySignal<readonly SessionNetwork[]> = computed(() => session.value?.networks ?? [])

/** How long the page of a session that has ended waits. */
const waitMs = 600_000
const retryMs = 1_000

/** Asks whether somebody is signed in. */
export async function loadSession(): Promise<void> {
  sessionFault.value = undefined
  try {
    const found = await admin.session()
    if (found.open) setCsrf('open')
    // The first answer came without the header that an open gateway asks for.
    adopt(found.open && !found.signedIn ? await admin.session() : found)
  } catch (thrown) {
    if (session.value === undefined) sessionFault.value = asConsoleError(thrown)
    else browser.after(retryMs, loadSession)
  }
}

/** Signs in. @throws ConsoleError */
export async function signIn(token: string): Promise<void> {
  const { csrf, ...opened } = await admin.signIn(token)
  setCsrf(csrf)
  adopt({ ...opened, signedIn: true })
}

/** Goes on with a session. What another operator has left is forgotten; their page is one of its own by its key. */
function adopt(next: Session): void {
  if (session.value?.signedIn === true && !next.signedIn) return end()
  if (next.name !== session.value?.name) forget()
  hasEnded.value = false
  session.value = next
}

/** Signs out in all tabs, also where the gateway does not answer: the session's secret is forgotten once that is known. */
export async function signOut(): Promise<void> {
  const own = browser.read('csrf')
  await admin.signOut().catch(() => undefined)
  // Another tab may have signed in meanwhile: this one follows it.
  if (![own, undefined].includes(browser.read('csrf'))) return
  setCsrf('')
  leave()
}

/** Shows the sign-in alone. */
function leave(notice = 'You have signed out.'): void {
  const { version = '' } = session.value ?? {}
  forget()
  signInNotice.value = notice
  hasEnded.value = false
  session.value = { open: false, signedIn: false, version }
}

function forget(): void {
  keyInHand.value = ''
  closeToasts()
}

/** Covers the page until it is known who goes on; after a while it is forgotten. */
function end(): void {
  if (hasEnded.value) return
  const { value: own } = session
  signInNotice.value = 'Your session has ended. Sign in again.'
  hasEnded.value = true
  browser.after(waitMs, () => {
    if (hasEnded.value && session.value === own) leave(signInNotice.value)
  })
}

setOnSession((kept) => {
  if (kept === '') return leave()
  if (session.value?.signedIn === true && !session.value.open) end()
  if (kept !== undefined) void loadSession()
})

/** Tells why the token does not suffice for what needs one of `scopes`; undefined where it does. */
export function lacks(...scopes: readonly string[]): string | undefined {
  const { open = false, scopes: own = [] } = session.value ?? {}
  if (open || own.includes('all') || scopes.some((scope) => own.includes(scope))) return undefined
  return `This needs a token with the scope “${scopes.join('” or “')}”. Yours has ${own.length === 0 ? 'none' : own.map((scope) => `“${scope}”`).join(', ')}.`
}
