import type { Key, RotatedKey } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useForm } from '../../parts/use-form.ts'

/** Replaces a key by a new one; the old one works on for a while. */
export function RotateDialog(props: {
  readonly project: string
  readonly of: Key
  readonly onClose: () => void
  readonly onRotated: (keys: RotatedKey) => void
}): JSX.Element {
  const { project, of: key, onClose, onRotated } = props
  const [overlap, setOverlap] = useState('86400')
  const form = useForm([])
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    await form.send(async () => onRotated(await admin.rotateKey(project, key.id, { overlapSeconds: Number(overlap) })))
  }
  return (
    <Dialog title="Rotate this key" onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <p class="muted">
          A new key is made with the secrets, the limits and the label of this one. This one goes on for a while, so
          that nobody is cut off.
        </p>
        {form.fault !== undefined && <Notice kind="bad">{form.fault}</Notice>}
        <SelectField
          label="The old key works on for"
          value={overlap}
          onChange={setOverlap}
          options={[
            { value: '3600', text: 'an hour' },
            { value: '86400', text: 'a day' },
            { value: '604800', text: 'a week' },
            { value: '2592000', text: '30 days' },
            { value: '0', text: 'no time: it ends now' },
          ]}
        />
        <div class="form-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Rotate key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
