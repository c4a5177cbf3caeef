import type { ComponentType, JSX } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import { asConsoleError, type ConsoleError } from './api/console-error.ts'
import { Overview } from './pages/overview.tsx'
import { Failure } from './parts/states.tsx'
import { Text } from './parts/text.tsx'
import { Toasts } from './parts/toast.tsx'
import { page } from './router.ts'
import { hasEnded, loadSession, session, sessionFault } from './session.ts'
import { Shell } from './shell.tsx'
import { SignIn, SignInAgain } from './sign-in.tsx'

/** Pages that are loaded when they are opened. */
const loaders: Readonly<Record<string, () => Promise<ComponentType>>> = {
  try: async () => (await import('./pages/try.tsx')).TryPage,
  gas: async () => (await import('./pages/gas.tsx')).GasPage,
  streams: async () => (await import('./pages/streams.tsx')).StreamsPage,
  audit: async () => (await import('./pages/audit.tsx')).AuditPage,
  ipfs: async () => (await import('./pages/ipfs.tsx')).IpfsPage,
  inspector: async () => (await import('./pages/inspector.tsx')).InspectorPage,
  projects: async () => (await import('./pages/projects.tsx')).ProjectsPage,
  replay: async () => (await import('./pages/replay.tsx')).ReplayPage,
  networks: async () => (await import('./pages/networks.tsx')).NetworksPage,
}

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
      const Page = await loaders[name]?.()
      if (Page !== undefined) setLoaded({ Page })
    } catch (thrown) {
      setError(asConsoleError(thrown))
    }
  }
  useEffect(() => void load(), [])

  if (crash !== undefined) return <Failure what="This page" error={asConsoleError(crash)} onRetry={retry} />
  if (name === 'overview') return <Overview />
  if (!Object.hasOwn(loaders, name)) return <NotFound name={name} />
  if (error !== undefined) return <Failure what="This page" error={error} onRetry={load} />
  return Loaded === undefined ? <div class="page-loading" aria-busy="true" /> : <Loaded.Page />
}

function NotFound({ name }: { readonly name: string }): JSX.Element {
  return (
    <div class="empty">
      <h1 class="empty-title">
        There is no page “<Text of={readable(name)} />”
      </h1>
      <p class="empty-text">
        <a href="/console/">Go to the overview</a>
      </p>
    </div>
  )
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
