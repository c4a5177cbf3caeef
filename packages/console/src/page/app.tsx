import type { ComponentType, JSX } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import { hasEnded } from './api/ask.ts'
import { asConsoleError, type ConsoleError } from './api/console-error.ts'
import { Overview } from './pages/overview.tsx'
import { Failure } from './parts/states.tsx'
import { Toasts } from './parts/toast.tsx'
import { page } from './router.ts'
import { loadSession, session, sessionFault } from './session.ts'
import { Shell } from './shell.tsx'
import { SignIn, SignInAgain } from './sign-in.tsx'

/** The whole page. */
export function App(): JSX.Element {
  if (sessionFault.value !== undefined) {
    return (
      <main class="sign-in">
        <Failure what="The console" error={sessionFault.value} onRetry={loadSession} />
      </main>
    )
  }
  if (session.value === undefined) return <main class="sign-in" aria-busy="true" />
  return (
    <>
      {hasEnded.value && <SignInAgain />}
      {session.value.signedIn || session.value.open ? (
        <Shell key={session.value.name}>
          <NamedPage name={page.value} key={page.value} />
        </Shell>
      ) : (
        <SignIn />
      )}
      <Toasts />
    </>
  )
}

function NamedPage({ name }: { readonly name: string }): JSX.Element {
  const [Loaded, setLoaded] = useState<{ readonly Page: ComponentType } | undefined>()
  const [error, setError] = useState<ConsoleError | undefined>()
  const [crash, retry] = useErrorBoundary()

  async function load(): Promise<void> {
    setError(undefined)
    try {
      if (name === 'overview') return
      const { laterPage } = await import('./later.ts')
      setLoaded({ Page: laterPage(name) })
    } catch (thrown) {
      setError(asConsoleError(thrown))
    }
  }
  useEffect(() => void load(), [])

  if (crash !== undefined) return <Failure what="This page" error={asConsoleError(crash)} onRetry={retry} />
  if (name === 'overview') return <Overview />
  if (error !== undefined) return <Failure what="This page" error={error} onRetry={load} />
  return Loaded === undefined ? <div class="page-loading" aria-busy="true" /> : <Loaded.Page />
}
