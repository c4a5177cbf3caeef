import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { hasEnded } from '../api/ask.ts'

/**
 * Shows a dialog over the page while it is mounted, and the page does not wait for a session: the browser keeps the focus in it,
 * on its first field, and gives it back.
 */
export function useModal(isHidden: boolean = hasEnded.value): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  const { current: before } = useRef(document.activeElement)
  // Before the next key is pressed, which is meant for it.
  useLayoutEffect(() => {
    if (isHidden) return
    const shown = dialog.current!
    shown.showModal()
    shown.querySelector<HTMLElement>('[data-first], input, select, textarea')?.focus()
    return () => {
      shown.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [isHidden])
  return dialog
}
