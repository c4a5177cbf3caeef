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

/** What the sign-in page says above its form, such as that a session has ended. */
export const signInNotice: Signal<string> = signal('')

export const networks: ReadonlySignal<readonly SessionNetwork[]> = computed(() => session.value?.networks ?? [])

/** Asks whether somebody is signed in. */
export async function loadSession(): Promise<void> {
  sessionFault.value = undefined
  try {
    const found = await admin.session()
    if (found.open) setCsrf('open')
    // The first answer came without the header that an open gateway asks for.
    session.value = found.open && !found.signedIn ? await admin.session() : found
  } catch (thrown) {
    sessionFault.value = asConsoleError(thrown)
  }
}

/** Signs in. @throws ConsoleError */
export async function signIn(token: string): Promise<void> {
  const { csrf, ...opened } = await admin.signIn(token)
  setCsrf(csrf)
  signInNotice.value = ''
  session.value = { ...opened, signedIn: true }
}

/** Signs out, also where the gateway does not answer: the session's secret is forgotten once that is known. */
export async function signOut(): Promise<void> {
  await admin.signOut().catch(() => undefined)
  leave('You have signed out.')
}

function leave(notice: string): void {
  const { version = '' } = session.value ?? {}
  setCsrf(undefined)
  signInNotice.value = notice
  keyInHand.value = ''
  closeToasts()
  session.value = { open: false, signedIn: false, version }
}

setOnSession((isNew) => {
  if (isNew) void loadSession()
  else if (session.value?.signedIn === true && !session.value.open) leave('Your session has ended. Sign in again.')
})

/** Tells why the token does not suffice for what needs one of `scopes`; undefined where it does. */
export function lacks(...scopes: readonly string[]): string | undefined {
  const { open = false, scopes: own = [] } = session.value ?? {}
  if (open || own.includes('all') || scopes.some((scope) => own.includes(scope))) return undefined
  return `This needs a token with the scope “${scopes.join('” or “')}”. Yours has ${own.length === 0 ? 'none' : own.map((scope) => `“${scope}”`).join(', ')}.`
}
