import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'

/** Asks why an upstream is to be left alone. */
export function CordonDialog(props: {
  readonly network: string
  readonly upstream: string
  /** Whether no other upstream of its network is up. */
  readonly isLast: boolean
  readonly onClose: () => void
  readonly onCordon: (reason: string) => unknown
}): JSX.Element {
  const { network, upstream, isLast, onClose, onCordon } = props
  const [reason, setReason] = useState('')
  return (
    <Dialog title={`Cordon ${upstream} of ${network}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          onCordon(reason.trim() === '' ? 'no reason was given' : reason.trim())
        }}
      >
        <p class="muted">
          It gets no further calls; those on their way go on. This lasts until somebody uses it again, or the gateway
          restarts.
        </p>
        {isLast && (
          <div class="notice warn">
            <Icon name="warning" />
            <p class="notice-text">
              No other upstream of <Text of={network} /> is up: calls to this network will fail.
            </p>
          </div>
        )}
        <TextField
          label="Reason"
          hint="Your colleagues read it here and in /status. 200 characters at most."
          value={reason}
          onChange={(text) => setReason(text.slice(0, 200))}
        />
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Cordon
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
