import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Text } from '../../parts/text.tsx'
import { keyInHand } from '../../own-keys.ts'
import { hrefOf } from '../../router.ts'
import { networks, session } from '../../session.ts'

/** Shows a key or a secret, this once. */
export function SecretDialog(props: {
  readonly what: 'key' | 'secret'
  readonly text: string
  readonly label: string
  readonly onClose: () => void
}): JSX.Element {
  const { what, text, label, onClose } = props
  const [network] = networks.value
  const address = network === undefined ? undefined : `${session.value?.rpc ?? ''}/${network.name}/v3/${text}`

  useEffect(() => {
    if (what === 'key') keyInHand.value = text
  }, [text])

  return (
    <Dialog title={`Copy the ${what} now`} onClose={onClose} isStubborn>
      <Notice kind="warn">
        The gateway keeps only a digest of it. Once this is closed, nobody can read the {what} of “<Text of={label} />”
        again.
      </Notice>
      <div class="field">
        <span class="label">{what === 'key' ? 'Key' : 'Secret'}</span>
        <div class="secret">
          <span data-first tabIndex={0} aria-label={`The new ${what}`}>
            {text}
          </span>
          <CopyButton text={text} what={`the ${what}`} />
        </div>
      </div>
      {what === 'key' && address !== undefined && (
        <div class="field">
          <span class="label">Address for JSON-RPC</span>
          <div class="secret">
            <span>{address}</span>
            <CopyButton text={address} what="the address" />
          </div>
        </div>
      )}
      <div class="form-foot">
        {what === 'key' && (
          <a class="button" href={hrefOf('try')} onClick={onClose}>
            Try it
          </a>
        )}
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </div>
    </Dialog>
  )
}
