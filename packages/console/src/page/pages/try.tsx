import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { keyInHand } from '../own-keys.ts'
import { Button } from '../parts/button.tsx'
import { AreaField, Field, SelectField, TextField } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { useLoad } from '../parts/use-load.ts'
import { hrefOf, query, setQuery } from '../router.ts'
import { lacks, networks, session } from '../session.ts'
import { visible } from '../text/visible.ts'
import { AnswerPanel } from './try/answer-panel.tsx'
import { callGateway, type CallAnswer } from './try/call.ts'
import { CodePanel } from './try/code-panel.tsx'
import { MethodSearch } from './try/method-search.tsx'
import { type Draft, DraftError, type OpenRpc, paramsOf, type RpcMethod } from './try/open-rpc.ts'
import { ParamFields } from './try/param-fields.tsx'

const firstMethods: Readonly<Record<string, string>> = { starknet: 'starknet_blockNumber' }

/** The page that calls the gateway as an application would. */
export function TryPage(): JSX.Element {
  const names = networks.value
  const chosen = names.find(({ name }) => name === query.value.get('network')) ?? names[0]
  if (chosen === undefined) {
    return (
      <>
        <PageHead title="Try it" />
        <Panel title="Call">
          <Empty title="No network is configured">Name one in the configuration, and reload it.</Empty>
        </Panel>
      </>
    )
  }
  return <TryNetwork name={chosen.name} kind={chosen.kind} />
}

function TryNetwork({ name: network, kind }: { readonly name: string; readonly kind: string }): JSX.Element {
  const {
    value: document,
    error,
    reload,
  } = useLoad(async (signal) => (await admin.openRpc(kind, signal)) as OpenRpc, [kind])
  const methodName = query.value.get('method') ?? firstMethods[kind] ?? 'eth_blockNumber'
  const methods = (document?.methods ?? []).filter((each) => each['x-effect'] !== 'session')

  return (
    <>
      <PageHead
        title="Try it"
        about="Calls the gateway as an application would: it counts, and shows in the inspector"
      />
      {error !== undefined && <Failure what="The table of methods" error={error} onRetry={reload} />}
      {document === undefined && error === undefined ? (
        <Panel title="Call">
          <Skeleton rows={6} />
        </Panel>
      ) : (
        <Caller
          key={`${network} ${methodName}`}
          network={network}
          name={methodName}
          method={methods.find(({ name }) => name === methodName)}
          document={document ?? { methods: [] }}
          methods={methods}
        />
      )}
    </>
  )
}

function KeyField(): JSX.Element {
  const [isShown, setShown] = useState(false)
  const mayCreate = lacks('accounts') === undefined
  return (
    <Field
      label="Key"
      hint={<>Kept in the memory of this page alone. {mayCreate && <a href={hrefOf('projects')}>Create a key</a>}</>}
    >
      {(control) => (
        <div class="with-button">
          <input
            {...control}
            class="mono"
            type={(isShown ? 'text' : 'password') as 'text'}
            autocomplete="off"
            spellcheck={false}
            value={keyInHand.value}
            onInput={({ currentTarget }) => (keyInHand.value = currentTarget.value.trim())}
          />
          <Button label={isShown ? 'Hide the key' : 'Show the key'} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
    </Field>
  )
}

function Caller(props: {
  readonly network: string
  readonly name: string
  /** Undefined: the table does not have it, so its params are JSON. */
  readonly method: RpcMethod | undefined
  readonly document: OpenRpc
  readonly methods: readonly RpcMethod[]
}): JSX.Element {
  const { network, name, method, document, methods } = props
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({})
  const [isJson, setJson] = useState(method === undefined)
  const [json, setJsonText] = useState('[]')
  const [secret, setSecret] = useState('')
  const [fault, setFault] = useState<string | undefined>()
  const [answer, setAnswer] = useState<CallAnswer | undefined>()
  const [isBusy, setBusy] = useState(false)
  const gone = useRef(new AbortController())
  useEffect(() => () => gone.current.abort(), [])

  function readParams(): unknown {
    if (method !== undefined && !isJson) return paramsOf(method, document, drafts)
    try {
      return JSON.parse(json)
    } catch (thrown) {
      throw new DraftError(`params: no JSON: ${(thrown as Error).message}`)
    }
  }

  function paramsSoFar(): unknown {
    try {
      return readParams()
    } catch {
      return []
    }
  }

  function toJson(): void {
    if (isJson) return setJson(false)
    setJsonText(JSON.stringify(paramsSoFar(), null, 2))
    setJson(true)
  }

  const url = `${session.value?.rpc ?? ''}/${network}/v3/${keyInHand.value === '' ? '<key>' : encodeURIComponent(keyInHand.value)}`

  async function call(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    if (keyInHand.value === '') return setFault('Enter a key first: the gateway asks for one.')
    setFault(undefined)
    let body: string
    try {
      body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: readParams() })
    } catch (thrown) {
      return setFault((thrown as Error).message)
    }
    setBusy(true)
    try {
      setAnswer(await callGateway({ url, secret, body }, gone.current.signal))
    } catch {
      if (gone.current.signal.aborted) return
      setAnswer(undefined)
      setFault(
        `${session.value?.rpc ?? 'The gateway'} gives no answer to this page. Is its JSON-RPC listener reachable from here? Behind a proxy, admin.publicRpc names its address.`,
      )
    }
    setBusy(false)
  }

  return (
    <div class="columns">
      <Panel title="Call">
        <form class="form" onSubmit={(event) => void call(event)}>
          <div class="form-row">
            <SelectField
              label="Network"
              value={network}
              onChange={(chosen) => setQuery({ network: chosen, method: undefined })}
              options={networks.value.map((each) => ({ value: each.name, text: visible(each.name) }))}
            />
            <MethodSearch methods={methods} value={name} onChange={(chosen) => setQuery({ method: chosen })} />
          </div>
          {method?.summary !== undefined && <p class="muted">{method.summary}</p>}
          {method?.['x-effect'] === 'write' && (
            <Notice kind="warn">This method changes the chain: what it sends cannot be taken back.</Notice>
          )}
          <KeyField />
          <details class="help">
            <summary>The project asks for a secret, too</summary>
            <TextField label="Secret of the key" type="password" value={secret} onChange={setSecret} />
          </details>
          <div class="row params-head">
            <h3>Params</h3>
            {method !== undefined && (
              <button type="button" class="link small" aria-pressed={isJson} onClick={toJson}>
                {isJson ? 'As a form' : 'As JSON'}
              </button>
            )}
          </div>
          {isJson || method === undefined ? (
            <AreaField label="Params, as JSON" rows={6} isMono value={json} onChange={setJsonText} />
          ) : (
            <ParamFields method={method} document={document} drafts={drafts} onChange={setDrafts} />
          )}
          {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
          <div class="form-foot">
            <Button kind="primary" type="submit" isBusy={isBusy}>
              Call
            </Button>
          </div>
        </form>
      </Panel>
      <div class="stack beside">
        <AnswerPanel answer={answer} isBusy={isBusy} />
        <CodePanel sample={{ url, method: name, params: paramsSoFar() }} keyText={keyInHand.value} />
      </div>
    </div>
  )
}
