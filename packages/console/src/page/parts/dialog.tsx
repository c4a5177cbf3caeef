import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Called by Escape, by the cross, and by a click beside it, if `isStubborn` does not say otherwise. */
  readonly onClose: () => void
  /** Whether only its own buttons close it, since what it shows is shown once. */
  readonly isStubborn?: boolean
  readonly isWide?: boolean
}

/** A modal dialog: the browser keeps the focus in it, and gives it back. */
export function Dialog({ title, children, onClose, isStubborn = false, isWide = false }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()

  useEffect(() => {
    const before = document.activeElement
    const shown = dialog.current!
    shown.showModal()
    const first = shown.querySelector<HTMLElement>('[data-first], input, select, textarea')
    first?.focus()
    return () => {
      shown.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])

  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        if (!isStubborn) onClose()
      }}
      onClose={({ currentTarget: shown }) => {
        // Of Escapes that are refused one after another, Chromium closes it all the same.
        if (!shown.isConnected || shown.open) return
        if (isStubborn) shown.showModal()
        else onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget && !isStubborn) onClose()
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          {!isStubborn && (
            <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  )
}
