import { signal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asConsoleError } from '../api/console-error.ts'
import { browser } from '../defaults.ts'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  readonly undo?: (() => void) | undefined
}

const shownMs = 8_000
const mostShown = 4
const toasts: Signal<readonly Toast[]> = signal([])
let lastId = 0

/** Tells that something was done; with `undo` it can be taken back for some seconds. */
export function announce(text: string, undo?: () => void): void {
  show({ kind: 'done', text, undo })
}

/** Tells that something failed. */
export function reportFailure(what: string, thrown: unknown): void {
  show({ kind: 'failed', text: `${what}: ${asConsoleError(thrown).message}` })
}

function show(toast: Omit<Toast, 'id'>): void {
  const id = ++lastId
  toasts.value = [...toasts.value, { id, ...toast }].slice(-mostShown)
  // What failed, or can be undone, stays for those who read slowly until it is closed, or others push it out.
  if (toast.kind === 'done' && toast.undo === undefined) browser.after(shownMs, () => close(id))
  else if (toast.kind === 'done') browser.after(2 * shownMs, () => close(id))
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Closes all of them. */
export function closeToasts(): void {
  toasts.value = []
}

/** The corners that are mounted, the uppermost last. */
const corners: Signal<readonly object[]> = signal([])

/**
 * The corner where toasts appear; screen readers hear them. The page has one, and each modal dialog, since all outside an
 * open dialog is inert: they appear in the uppermost.
 */
export function Toasts(): JSX.Element {
  const [own] = useState({})
  useEffect(() => {
    corners.value = [...corners.value, own]
    return () => void (corners.value = corners.value.filter((corner) => corner !== own))
  }, [])
  const shown = corners.value.at(-1) === own ? toasts.value : []
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text, undo }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'warning'} />
          <span class="toast-text">{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              class="link"
              onClick={() => {
                close(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
          <button type="button" class="icon-button" aria-label="Close this message" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
