import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Mark } from './mark.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { Text } from './parts/text.tsx'
import { Toasts } from './parts/toast.tsx'
import { useModal } from './parts/use-modal.ts'
import { hrefOf, page } from './router.ts'
import { lacks, session, signOut } from './session.ts'
import { type Theme, theme } from './theme.ts'

interface Entry {
  readonly name: IconName
  readonly text: string
  /** Scopes, of which one is needed. */
  readonly scopes: readonly string[]
}

const entries: readonly Entry[] = [
  { name: 'overview', text: 'Overview', scopes: ['read', 'usage'] },
  { name: 'networks', text: 'Networks', scopes: ['read', 'networks'] },
  { name: 'projects', text: 'Projects and keys', scopes: ['read', 'accounts'] },
  { name: 'inspector', text: 'Inspector', scopes: ['read'] },
  { name: 'gas', text: 'Gas fees', scopes: ['read', 'networks'] },
  { name: 'ipfs', text: 'IPFS', scopes: ['ipfs', 'read'] },
  { name: 'streams', text: 'Subscriptions', scopes: ['read', 'networks'] },
  { name: 'replay', text: 'Policy replay', scopes: ['all'] },
  { name: 'try', text: 'Try it', scopes: [] },
  { name: 'audit', text: 'Audit log', scopes: ['read'] },
]

/** The frame around each page: navigation, who is signed in, the theme. */
export function Shell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const { value: name } = page

  useEffect(() => setOpen(false), [name])

  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to the content
      </a>
      <div class="frame">
        <header class="top">
          <button
            type="button"
            class="icon-button"
            aria-label="Open navigation"
            aria-expanded={isOpen}
            onClick={() => setOpen(true)}
          >
            <Icon name="menu" />
          </button>
          <Brand />
        </header>
        <div class="side">
          <header>
            <Brand />
          </header>
          <Navigation />
        </div>
        {isOpen && <Drawer onClose={() => setOpen(false)} />}
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  )
}

function Brand(): JSX.Element {
  return (
    <a class="brand" href={hrefOf('')}>
      <Mark /> Wayleave
    </a>
  )
}

/** The navigation of narrow screens, over the page. */
function Drawer({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useModal()
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label="Navigation"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div class="drawer-body">
        <div class="drawer-head">
          <Brand />
          <button type="button" class="icon-button" aria-label="Close navigation" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <Navigation />
      </div>
      <Toasts />
    </dialog>
  )
}

function Navigation(): JSX.Element {
  const { apis } = session.value ?? {}
  const shown = entries.filter(({ name }) => apis?.[name] !== false)
  return (
    <>
      <nav class="nav" aria-label="Pages">
        {shown.map(({ name, text, scopes }) => {
          const reason = scopes.length === 0 ? undefined : lacks(...scopes)
          const isHere = page.value === name
          return reason === undefined ? (
            <a key={name} href={hrefOf(name === 'overview' ? '' : name)} aria-current={isHere ? 'page' : undefined}>
              <Icon name={name} /> {text}
            </a>
          ) : (
            <span key={name} class="nav-off" title={reason}>
              <Icon name={name} /> {text}
              <span class="unseen">({reason})</span>
            </span>
          )
        })}
      </nav>
      <footer class="who">
        <ThemeSwitch />
        <Who />
      </footer>
    </>
  )
}

const themes: readonly { readonly value: Theme; readonly text: string }[] = [
  { value: 'system', text: 'System' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
]

function ThemeSwitch(): JSX.Element {
  return (
    <fieldset class="segments small">
      <legend class="unseen">Theme</legend>
      {themes.map(({ value, text }) => (
        <button key={value} type="button" aria-pressed={theme.value === value} onClick={() => (theme.value = value)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}

function Who(): JSX.Element {
  const { open = false, name = '', scopes = [], version = '', process = '' } = session.value ?? {}
  return (
    <div class="who-text">
      {open ? (
        <p>Open to this machine, without sign-in</p>
      ) : (
        <p>
          <b>
            <Text of={name} />
          </b>{' '}
          <button type="button" class="link" onClick={() => void signOut()}>
            Sign out
          </button>
          <br />
          <span class="muted">Scopes: {scopes.join(', ')}</span>
        </p>
      )}
      <p class="muted">
        <Text of={process} />
        {version !== '' && ` · ${version}`}
      </p>
    </div>
  )
}
