import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { hasEnded } from '../api/ask.ts'
import { Icon } from './icon.tsx'
import { Toasts } from './toast.tsx'
import { useModal } from './use-modal.ts'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Called by Escape, by the cross, and by a click beside it, if `isStubborn` does not say otherwise. */
  readonly onClose: () => void
  /** Whether only its own buttons close it, since what it shows is shown once. */
  readonly isStubborn?: boolean
  readonly isWide?: boolean
}

/** A modal dialog with a title. */
export function Dialog({ title, children, onClose, isStubborn = false, isWide = false }: DialogProps): JSX.Element {
  const dialog = useModal()
  const heading = useId()

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
        if (!shown.isConnected || shown.open || hasEnded.value) return
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
      <Toasts />
    </dialog>
  )
}
