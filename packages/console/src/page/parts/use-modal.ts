import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Shows a dialog over the page while it is mounted: the browser keeps the focus in it, and gives it back. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the next key is pressed, which is meant for it.
  useLayoutEffect(() => {
    const before = document.activeElement
    const shown = dialog.current!
    shown.showModal()
    return () => {
      shown.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return dialog
}
