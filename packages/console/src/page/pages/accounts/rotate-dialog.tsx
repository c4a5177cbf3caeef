import type { Key, RotatedKey } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { SentForm } from '../../parts/sent-form.tsx'
import { useForm } from '../../parts/use-form.ts'

/** Replaces a key by a new one; the old one works on for a while. */
export function RotateDialog(props: {
  readonly project: string
  readonly of: Key
  readonly onClose: () => void
  readonly onRotated: (keys: RotatedKey) => void
}): JSX.Element {
  const { project, of: key, onClose, onRotated } = props
  const form = useForm({ overlap: '86400' }, [])
  const rotation = { overlapSeconds: Number(form.values.overlap) }
  const rotate = async (): Promise<void> => onRotated(await admin.rotateKey(project, key.id, rotation))
  return (
    <Dialog title="Rotate this key" onClose={onClose}>
      <SentForm form={form} action="Rotate key" onCancel={onClose} onSend={rotate}>
        <p class="muted">
          A new key is made with the secrets, the limits and the label of this one. This one goes on for a while, so
          that nobody is cut off.
        </p>
        <SelectField
          label="The old key works on for"
          {...form.field('overlap')}
          options={[
            { value: '3600', text: 'an hour' },
            { value: '86400', text: 'a day' },
            { value: '604800', text: 'a week' },
            { value: '2592000', text: '30 days' },
            { value: '0', text: 'no time: it ends now' },
          ]}
        />
      </SentForm>
    </Dialog>
  )
}
