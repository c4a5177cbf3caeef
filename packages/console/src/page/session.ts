import { computed, type ReadonlySignal, signal, type Signal } from '@preact/signals'
import { admin } from './api/admin.ts'
import { ownCsrf, setCsrf, setOnSession, takeKept } from './api/ask.ts'
import { asConsoleError, type ConsoleError } from './api/console-error.ts'
import type { Session, SessionNetwork } from './api/model.ts'
import { browser } from './defaults.ts'
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

/** How long a page waits for its operator, in ms. */
const waitMs = 600_000
const retryMs = 1_000
const notices = { signedOut: 'You have signed out.', ended: 'Your session has ended. Sign in again.' }
let stopWaiting = (): void => {}

// Another tab has signed in, has signed out (''), or has found the session ended.
addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key !== 'wayleave.csrf') return
  if (newValue) takeKept(ownCsrf())
  else if (oldValue !== null && oldValue === ownCsrf()) {
    if (newValue === '') leave(notices.signedOut)
    else end()
  }
})

/** Asks whether somebody is signed in. */
export async function loadSession(): Promise<void> {
  sessionFault.value = undefined
  let own = ownCsrf()
  try {
    let found = await admin.session()
    if (found.open && !found.signedIn && own === ownCsrf()) {
      // The first answer came without the header that an open gateway asks for.
      setCsrf((own = 'open'))
      found = await admin.session()
    }
    // Somebody has signed in or out meanwhile.
    if (own === ownCsrf()) adopt(found)
  } catch (thrown) {
    if (session.value === undefined) sessionFault.value = asConsoleError(thrown)
    // Nobody knows yet whose session it is.
    else browser.after(retryMs, () => void loadSession())
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
  goOn(next)
}

/** Signs out, also where the gateway does not answer: the session's secret is forgotten once that is known. */
export async function signOut(): Promise<void> {
  await admin.signOut().catch(() => undefined)
  leave(notices.signedOut)
}

function leave(notice: string): void {
  const { version = '' } = session.value ?? {}
  setCsrf('')
  forget()
  signInNotice.value = notice
  goOn({ open: false, signedIn: false, version })
}

function goOn(next: Session): void {
  stopWaiting()
  hasEnded.value = false
  session.value = next
}

function forget(): void {
  keyInHand.value = ''
  closeToasts()
}

function end(): void {
  setCsrf(undefined)
  signInNotice.value = notices.ended
  hasEnded.value = true
  stopWaiting()
  stopWaiting = browser.after(waitMs, () => leave(notices.ended))
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
