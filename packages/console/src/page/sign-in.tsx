import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asConsoleError, type ConsoleError } from './api/console-error.ts'
import { Mark } from './mark.tsx'
import { Button } from './parts/button.tsx'
import { Field } from './parts/field.tsx'
import { useModal } from './parts/use-modal.ts'
import { session, signIn, signInNotice } from './session.ts'

/** The page that asks for an admin token. */
export function SignIn(): JSX.Element {
  useEffect(() => {
    document.title = 'Sign in · Wayleave console'
  }, [])
  return (
    <main class="sign-in">
      <Form />
    </main>
  )
}

/** Asks for a token once more, over a page whose session has ended. It hides that page, which waits as it was left. */
export function SignInAgain(): JSX.Element {
  return (
    <dialog
      ref={useModal(false)}
      class="sign-in"
      aria-label="Sign in"
      closedby="none"
      onClose={({ currentTarget: shown }) => {
        if (shown.isConnected && !shown.open) shown.showModal()
      }}
    >
      <Form />
    </dialog>
  )
}

function Form(): JSX.Element {
  const [token, setToken] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ConsoleError | undefined>()
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => input.current?.focus(), [])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await signIn(token.trim())
    } catch (thrown) {
      setError(asConsoleError(thrown))
      setBusy(false)
      input.current?.select()
    }
  }

  return (
    <>
      <form class="sign-in-card" onSubmit={(event) => void submit(event)}>
        <div class="brand large">
          <Mark /> Wayleave
        </div>
        <h1>Sign in to the console</h1>
        {signInNotice.value !== '' && (
          <p class="notice plain" role="status">
            {signInNotice.value}
          </p>
        )}
        <Field
          label="Admin token"
          error={error === undefined ? undefined : explain(error)}
          hint="The token stays with the gateway: this page keeps only its session."
        >
          {(props) => (
            <input
              {...props}
              ref={input}
              type="password"
              autocomplete="current-password"
              spellcheck={false}
              required
              value={token}
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
        <details class="help">
          <summary>Where do I find a token?</summary>
          <p>
            It is <code>admin.token</code> of the gateway’s configuration, or one of <code>admin.tokens</code>. Each has
            a name, which stands in the audit log, and scopes, which say what it may do.
          </p>
        </details>
      </form>
      <p class="sign-in-foot">{session.value?.version !== undefined && `Version ${session.value.version}`}</p>
    </>
  )
}

function explain({ status, message, retryAfter }: ConsoleError): string {
  if (status === 401) return 'This token is not known here, or has expired. Look for spaces that were copied with it.'
  if (status === 429)
    return `Too many wrong tokens came. Wait ${retryAfter === undefined ? 'a minute' : `${retryAfter} s`}, then try again.`
  return message
}
