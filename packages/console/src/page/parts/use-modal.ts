import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { hasEnded } from '../session.ts'

/**
 * Shows a dialog over the page while it is mounted: the browser keeps the focus in it, and gives it back. While somebody has to sign in again
 * no further dialog is shown but that of the sign-in.
 */
export function useModal(isOfSignIn = false): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  const mustWait = hasEnded.value && !isOfSignIn
  // Before the next key is pressed, which is meant for it.
  useLayoutEffect(() => {
    const before = document.activeElement
    const shown = dialog.current!
    return () => {
      shown.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  useLayoutEffect(() => {
    if (!mustWait && !dialog.current!.open) dialog.current!.showModal()
  }, [mustWait])
  return dialog
}
