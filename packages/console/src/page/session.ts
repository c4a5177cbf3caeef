import { computed, type ReadonlySignal, signal, type Signal } from '@preact/signals'
import { admin } from './api/admin.ts'
import { setCsrf, setOnSession } from './api/ask.ts'
import { asConsoleError, type ConsoleError } from './api/console-error.ts'
import type { Session, SessionNetwork } from './api/model.ts'
import { keyInHand } from './own-keys.ts'
import { closeToasts } from './parts/toast.tsx'

/** The session: undefined until it is known. */
export const session: Signal<Session | undefined> = signal(undefined)

/** Why the session could not be asked for. */
export const sessionFault: Signal<ConsoleError | undefined> = signal(undefined)

/** Whether the session has ended while its page waits, with all that was typed, for the same operator. */
export const hasEnded: Signal<boolean> = signal(false)

/** What the sign-in page says above its form, such as that a session has ended. */
export const signInNotice: Signal<string> = signal('')

export const networks: ReadonlySignal<readonly SessionNetwork[]> = computed(() => session.value?.networks ?? [])

/** Tells the other tabs, which have the same session, that somebody has signed out. */
const tabs = new BroadcastChannel('wayleave')
tabs.addEventListener('message', () => leave(signedOut))

const signedOut = 'You have signed out.'

/** Asks whether somebody is signed in. */
export async function loadSession(): Promise<void> {
  sessionFault.value = undefined
  try {
    const found = await admin.session()
    if (found.open) setCsrf('open')
    // The first answer came without the header that an open gateway asks for.
    adopt(found.open && !found.signedIn ? await admin.session() : found)
  } catch (thrown) {
    // A page that waits is kept: what it asks next tells the same.
    if (session.value === undefined) sessionFault.value = asConsoleError(thrown)
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
  signInNotice.value = ''
  hasEnded.value = false
  session.value = next
}

/** Signs out, also where the gateway does not answer: the session's secret is forgotten once that is known. */
export async function signOut(): Promise<void> {
  await admin.signOut().catch(() => undefined)
  tabs.postMessage('')
  leave(signedOut)
}

function leave(notice: string): void {
  const { version = '' } = session.value ?? {}
  setCsrf(undefined)
  forget()
  signInNotice.value = notice
  hasEnded.value = false
  session.value = { open: false, signedIn: false, version }
}

function forget(): void {
  keyInHand.value = ''
  closeToasts()
}

function end(): void {
  setCsrf(undefined)
  signInNotice.value = 'Your session has ended. Sign in again.'
  hasEnded.value = true
}

setOnSession((isNew) => {
  if (isNew) void loadSession()
  else if (session.value?.signedIn === true && !session.value.open) end()
})

/** Tells why the token does not suffice for what needs one of `scopes`; undefined where it does. */
export function lacks(...scopes: readonly string[]): string | undefined {
  const { open = false, scopes: own = [] } = session.value ?? {}
  if (open || own.includes('all') || scopes.some((scope) => own.includes(scope))) return undefined
  return `This needs a token with the scope “${scopes.join('” or “')}”. Yours has ${own.length === 0 ? 'none' : own.map((scope) => `“${scope}”`).join(', ')}.`
}
